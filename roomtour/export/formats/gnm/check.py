"""Check GNM trajectories: arrays of the right shape, an image for each row, names that fit, the spacing."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import yaml

from roomtour.export.core.checking import SPLITS, is_number
from roomtour.export.core.numpy_pickle import load_arrays
from roomtour.export.core.records import Problem, format_value
from roomtour.export.formats.gnm.write import CONFIG, DATA, NAMES, SPLIT_FOLDER, TRAJECTORIES
from roomtour.options.yaml_text import read_yaml


def recognise(path: Path) -> bool:
    """Whether the folder holds lists of trajectories."""
    return any((path / SPLIT_FOLDER / split / NAMES).is_file() for split in SPLITS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    folders = sorted(folder for folder in (path / TRAJECTORIES).glob("*") if folder.is_dir())
    _check_names(path, {folder.name for folder in folders}, problems)
    length_m, steps = 0.0, 0
    for folder in folders:
        walked_m, count = _check_walk(folder, f"{TRAJECTORIES}/{folder.name}", problems)
        length_m, steps = length_m + walked_m, steps + count
    _check_spacing(path, length_m / steps if steps else 0.0, problems)
    return problems


def _check_names(path: Path, present: set[str], problems: list[Problem]) -> None:
    listed: set[str] = set()
    for split in SPLITS:
        name = f"{SPLIT_FOLDER}/{split}/{NAMES}"
        if not (path / name).is_file():
            if split == "train":
                problems.append(Problem(name, None, "file", "a file", "no such file"))
            continue
        for row, line in enumerate((path / name).read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
            if line not in present:
                problems.append(Problem(name, row, "name", f"a folder of {TRAJECTORIES}/", format_value(line)))
            if line in listed:
                problems.append(Problem(name, row, "name", "a name in one split, once", format_value(line)))
            listed.add(line)
    for missing in sorted(present - listed):
        problems.append(Problem(f"{TRAJECTORIES}/{missing}", None, "name", f"a line in a {NAMES}", "none"))


def _check_walk(folder: Path, name: str, problems: list[Problem]) -> tuple[float, int]:
    """Length in metres and number of steps."""

    def bad(field: str, expected: str, found: object) -> None:
        problems.append(Problem(f"{name}/{DATA}", None, field, expected, format_value(found)))

    try:
        arrays = load_arrays(folder / DATA)
    except OSError:
        bad("file", "a file", "no such file")
        return 0.0, 0
    except pickle.UnpicklingError as error:
        bad("pickle", "a dict of float arrays", str(error))
        return 0.0, 0
    position, yaw = arrays.get("position"), arrays.get("yaw")
    if position is None or position.ndim != 2 or position.shape[1] != 2 or len(position) < 2:
        bad("position", "an array [T, 2], T at least 2", None if position is None else position.shape)
        return 0.0, 0
    if not np.all(np.isfinite(position)):
        bad("position", "finite metres", "nan or inf")
        return 0.0, 0
    if yaw is None or yaw.shape != (len(position),):
        bad("yaw", f"an array [{len(position)}]", None if yaw is None else yaw.shape)
    elif not np.all(np.abs(yaw) <= 2 * np.pi):
        bad("yaw", "radians", float(np.abs(yaw).max()))
    images = {file.name for file in folder.glob("*.jpg")}
    odd = images ^ {f"{k}.jpg" for k in range(len(position))}
    if odd:
        expected = f"0.jpg to {len(position) - 1}.jpg, one per position"
        problems.append(Problem(name, None, "images", expected, f"{len(images)}, odd: {format_value(sorted(odd)[:3])}"))
    return float(np.linalg.norm(np.diff(position, axis=0), axis=1).sum()), len(position) - 1


def _check_spacing(path: Path, measured_m: float, problems: list[Problem]) -> None:
    def bad(expected: str, found: object) -> None:
        problems.append(Problem(CONFIG, None, "metric_waypoint_spacing", expected, format_value(found)))

    try:
        config = read_yaml((path / CONFIG).read_text(encoding="utf-8"))
        spacing = config["roomtour"]["metric_waypoint_spacing"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError, yaml.YAMLError) as error:
        bad("a number under roomtour", str(error))
        return
    if not is_number(spacing) or abs(spacing - measured_m) > 0.01 * measured_m + 1e-6:
        bad(f"the mean distance between two frames ({measured_m:.4f} m)", spacing)
