"""Files as large as the released ones: 88, 150 and 50 scans of VSI-Bench, and scenes of 32 poses of SPRITE."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from roomtour.cli import main
from roomtour.imports.write import import_run
from roomtour.run import Run

FILES = {"scannet": 88, "arkitscenes": 150, "scannetpp": 50}
CATEGORIES = ("chair", "table", "trash bin", "window", "door", "sofa", "bookshelf", "computer mouse")
SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)


def make_box(rng: np.random.Generator) -> dict[str, Any]:
    """As the files have it: rows are axes, lengths are full, with the box along the world's axes around it."""
    axes, lengths = Rotation.from_quat(rng.normal(size=4)).as_matrix(), rng.uniform(0.1, 3.0, 3)
    center = rng.uniform(-6, 6, 3)
    corners = center + (SIGNS * lengths / 2) @ axes
    return {
        "centroid": center.tolist(), "axesLengths": lengths.tolist(), "normalizedAxes": axes.reshape(-1).tolist(),
        "min": corners.min(axis=0).tolist(), "max": corners.max(axis=0).tolist(),
    }  # fmt: skip


@pytest.fixture(scope="module")
def meta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scenes of 4 to 25 boxes; every ninth states one thing more than it lists."""
    rng, folder = np.random.default_rng(0), tmp_path_factory.mktemp("meta")
    for name, count in FILES.items():
        scenes: dict[str, Any] = {}
        for number in range(count):
            boxes: dict[str, list[Any]] = {}
            for _ in range(int(rng.integers(4, 26))):
                boxes.setdefault(str(rng.choice(CATEGORIES)), []).append(make_box(rng))
            counts = {category: len(found) for category, found in boxes.items()}
            if number % 9 == 0:
                counts[next(iter(counts))] += 1
            scenes[f"scene{number:04d}_00"] = {
                "room_size": 20.0 + number, "room_center": [0.0, 0.0, 0.0], "object_counts": counts,
                "object_bbox": boxes, "dataset": name, "video_path": f"{name}/{number}.mp4",
            }  # fmt: skip
        (folder / f"{name}_meta_info_val.json").write_text(json.dumps(scenes, indent=4), encoding="utf-8")
    return folder


def test_every_corner_of_every_scan_lies_where_its_file_has_it(meta: Path, tmp_path: Path):
    assert sum(one.stat().st_size for one in meta.glob("*.json")) > 4_000_000
    run = import_run(meta, "vsi", tmp_path / "run")
    scenes = [
        (path.stem, name, scene)
        for path in sorted(meta.glob("*.json"))
        for name, scene in json.loads(path.read_text(encoding="utf-8")).items()
    ]
    assert len(run.scene.models) == len(scenes) == sum(FILES.values())
    things = iter(run.objects)
    for number, (_, _, scene) in enumerate(scenes):
        for category, boxes in scene["object_bbox"].items():
            for box in boxes:
                thing = next(things)
                assert (thing.model, thing.category) == (str(number), category)
                corners = np.array(thing.obb.center) + (SIGNS * thing.obb.half_extents) @ np.array(thing.obb.rotation).T
                assert corners.min(axis=0) == pytest.approx(box["min"], abs=1e-3)
                assert corners.max(axis=0) == pytest.approx(box["max"], abs=1e-3)
    assert next(things, None) is None
    short = [one for one in run.findings if one.code == "import.counts"]
    assert len(short) == sum(-(-count // 9) for count in FILES.values())
    assert main(["make", str(tmp_path / "run"), "--data", "programs"]) == 0


def test_scenes_of_sprite_are_models_of_one_run_and_asked_about(tmp_path: Path):
    """Twelve scenes of ten things and 32 poses, 384 pictures."""
    rng = np.random.default_rng(1)
    folder = tmp_path / "sprite"
    for part in ("metainfo", "camera_pose", "objects", "objects_num"):
        (folder / part).mkdir(parents=True)
    for scene in range(12):
        names = [f"{color} {kind}" for color in ("red", "blue") for kind in ("chair", "table", "lamp", "bed", "vase")]
        things = []
        for place, name in enumerate(names):
            sizes = rng.uniform(0.2, 1.5, 3)
            center = [float(rng.uniform(-4, 4)), float(sizes[1] / 2), float(rng.uniform(2, 8))]
            box = {"center": center, "sizes": sizes.tolist(), "half_extents": (sizes / 2).tolist(),
                   "rotation": [0.0, 30.0, 0.0], "volume": float(sizes.prod())}  # fmt: skip
            shown = sorted(int(one) for one in rng.choice(32, 20, replace=False))
            things.append({"object_name": f"{name}|{place}", "id": name, "category": name.split()[1], "appear": shown,
                           "semantic_id": [place, [0, 0, place], name], "obb": box})  # fmt: skip
        poses = {
            str(at): {"position": [0.1 * at, 0.9, 0.05 * at], "rotation": [0.0, 3.0 * at, 0.0]} for at in range(32)
        }
        (folder / "metainfo" / f"{scene}.json").write_text(json.dumps(things), encoding="utf-8")
        (folder / "camera_pose" / f"{scene}.json").write_text(json.dumps(poses), encoding="utf-8")
        (folder / "images" / str(scene)).mkdir(parents=True)
        for at in range(32):
            picture = np.full((48, 64, 3), (7 * at) % 255, np.uint8)
            cv2.imwrite(str(folder / "images" / str(scene) / f"frame_{at}.jpg"), picture)
    assert main(["import", str(folder), "--format", "sprite", "--out", str(tmp_path / "run")]) == 0
    run = Run(tmp_path / "run")
    assert (len(run.scene.models), len(run.scene.frames), len(run.objects)) == (12, 384, 120)
    assert main(["make", str(tmp_path / "run"), "--data", "programs"]) == 0
    rows = Run(tmp_path / "run").rows("programs")
    assert {row.model for row in rows} == {str(number) for number in range(12)}
    assert len(rows) > 12 * 40
