"""`roomtour models`: which learned models there are, which are on this machine, and fetching them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

import tyro
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn

from instructions.errors import InstructionError
from instructions.perception.models.catalog import ABILITIES, KNOWN_MODELS, Ability, find_known_model
from instructions.perception.models.light.download import fetch
from instructions.perception.models.light.folder import PULL, light_folder, require_sound, why_not_light
from instructions.perception.models.light.pins import LIGHT_FILES, LightFile
from instructions.perception.models.light.runtimes import INSTALL, find_missing_packages
from instructions.perception.models.options import ModelChoice, VisionOptions
from instructions.perception.models.runtime import pick_runtime
from instructions.perception.models.weights import (
    find_cached_folder,
    find_model,
    find_pin,
    pull,
    require_pinned,
    size_on_disk_mb,
)
from roomtour.cli.console import ERR, complain, tell
from roomtour.errors import RoomtourError

_LIGHT = "light"


def models(
    action: tyro.conf.Positional[Literal["list", "check", "pull"]],
    names: tyro.conf.Positional[tuple[str, ...]] = (),
    /,
    config: Path | None = None,
    try_example: Annotated[bool, tyro.conf.arg(name="try")] = False,
    vision: Annotated[VisionOptions, tyro.conf.arg(name="vision")] = VisionOptions(),
) -> int:
    """List, check or fetch the learned models of `--perception light` and `--perception models`.

    Only `pull` uses the network. Models of the list are pinned by commit and content: `pull` and `check` refuse weights
    that are not those. Light models (24 MB) go to `--vision.folder`, that of ROOMTOUR_MODELS or the user's cache.
    Weights of large ones go to the Hugging Face cache (HF_HOME); only safetensors are fetched.

    Args:
        action: `list` every known model and what is on this machine; `check` that the chosen large ones can run here,
            or with `light` the light ones; `pull` the chosen large ones, or those named.
        names: `light`, or large models by their id on the hub; the chosen large ones if none is named.
        config: YAML file of a run, to take the chosen models from.
        try_example: For `check`: run every model that is here, the light ones and the chosen large ones, on the bundled
            example, and hold what they say against its truth: names, boxes, depth order, rooms.
        vision: Which models are chosen, as for `roomtour process`.
    """
    chosen = vision if config is None else _chosen_in(config)
    if names and action != "pull" and not (action == "check" and names == (_LIGHT,)):
        but = f" but {_LIGHT}" if action == "check" else ""
        raise RoomtourError(f"models {action}: takes no names{but}, got {names[0]!r}")
    if try_example and action != "check":
        raise RoomtourError(f"models {action}: --try belongs to check")
    if action == "list":
        return _list(chosen)
    if action == "check" and try_example:
        return _try(chosen, only_light=bool(names))
    if action == "check":
        problems = _check_light(chosen)
        return problems if names else _check(chosen)
    if _LIGHT in names:
        _pull_files(LIGHT_FILES, light_folder(chosen.folder))
        for package in find_missing_packages():
            complain(f"light: {package} is not installed: {INSTALL}")
    large = tuple(name for name in names if name != _LIGHT)
    return 0 if names and not large else _pull(large, chosen)


def _chosen_in(config: Path) -> VisionOptions:
    from roomtour.config import load_config

    return load_config(config).vision


def _list(vision: VisionOptions) -> int:
    folder = light_folder(vision.folder)
    tell(f"light: small networks for a CPU, together, in {folder}")
    _list_files(LIGHT_FILES, folder)
    chosen = vision.chosen()
    for ability, purpose in ABILITIES.items():
        tell(f"{ability}: {purpose}")
        known = [model.name for model in KNOWN_MODELS if model.ability == ability]
        own = chosen.get(ability)
        for name in [*known, *([own.model] if own and own.model not in known else [])]:
            choice = own if own and own.model == name else ModelChoice(model=name)
            mark = "*" if choice is own else " "
            tell(f" {mark} {name:<62} {_facts(name):<32} {_state(ability, choice)}")
    tell("* chosen by the options. Sizes are about those of the published weights.")
    return 0


def _list_files(files: Sequence[LightFile], folder: Path) -> None:
    for file in files:
        name = file.path.partition("/")[0]
        facts = f"{file.size_bytes / 1e6:>5.1f} MB  {file.licence}"
        tell(f"   {name:<62} {facts:<32} {_light_state(file, folder)}")


def _facts(name: str) -> str:
    known = find_known_model(name)
    if known is None:
        return ""
    return f"{known.weights_mb:>5} MB  {known.licence}{f', {known.note}' if known.note else ''}"


def _state(ability: Ability, choice: ModelChoice) -> str:
    if find_cached_folder(choice) is None:
        return "not here"
    try:
        return f"here, {size_on_disk_mb(find_model(ability, choice).path):.0f} MB"
    except InstructionError:
        return "incomplete"


def _light_state(file: LightFile, folder: Path) -> str:
    path = folder / file.path
    if not path.is_file():
        return "not here"
    try:
        require_sound(file, path)
    except InstructionError:
        return "damaged"
    return "here"


def _check_light(vision: VisionOptions) -> int:
    """Say of each light model whether it is here and sound; 1 if one is not."""
    folder = light_folder(vision.folder)
    states = {file: _light_state(file, folder) for file in LIGHT_FILES}
    for file, state in states.items():
        tell(f"light: {file.source}, {file.what}: {state}: {folder / file.path}")
    for package in find_missing_packages():
        tell(f"light: {package} is not installed: {INSTALL}")
    is_complete = all(state == "here" for state in states.values())
    if not is_complete:
        tell(f"light: fetch what is missing with `{PULL}`")
    return 0 if is_complete and not find_missing_packages() else 1


def _pull_files(files: Sequence[LightFile], folder: Path) -> None:
    for file in files:
        with Progress(TextColumn("{task.description}"), BarColumn(), DownloadColumn(), console=ERR) as bars:
            bar = bars.add_task(file.path.partition("/")[0], total=file.size_bytes)
            path = fetch(file, folder, progress=partial(_show, bars, bar))
            bars.update(bar, completed=file.size_bytes)
        tell(f"{file.source}, {file.what}, {file.licence}: {path}")


def _show(bars: Progress, bar: TaskID, there: int, whole: int) -> None:
    bars.update(bar, completed=there, total=whole)


def _check(vision: VisionOptions) -> int:
    """Say of each chosen model whether it can run here; 1 if one cannot."""
    problems = 0
    try:
        runtime = pick_runtime(vision.device, vision.dtype)
        tell(f"runs on {runtime.device} in {runtime.dtype}")
    except InstructionError as error:
        problems += 1
        complain(error)
    for ability, choice in vision.chosen().items():
        try:
            model = find_model(ability, choice)
            require_pinned(choice, model.path)
            tell(f"{ability}: {model.source}, {size_on_disk_mb(model.path):.0f} MB in {model.path}")
        except InstructionError as error:
            problems += 1
            complain(error)
    return 1 if problems else 0


def _try(vision: VisionOptions, *, only_light: bool) -> int:
    """Try models on the example; 1 if one fails, or none is here."""
    from roomtour.trial.example import read_views
    from roomtour.trial.installed import try_large_models, try_light_models
    from roomtour.trial.measures import Trial

    views, failed, tried = read_views(), 0, 0
    folder = light_folder(vision.folder)
    missing = why_not_light(folder)
    if missing is not None:
        tell(f"not tried: {missing}")
    tell(f"{'model':<46} {'asked for':<18} {'right':>6} {'wrong':>6} {'missed':>6}")
    light = () if missing is not None else try_light_models(folder, views)
    for trial in chain(light, () if only_light else try_large_models(vision, views)):
        if not isinstance(trial, Trial):
            tell(f"not tried: {trial}")
            continue
        tried += 1
        failed += not trial.has_passed
        state = "" if trial.has_passed else "  FAILED" if trial.fault else f"  FAILED, needs {trial.least:.0%} right"
        tell(f"{trial.model:<46} {trial.what:<18} {trial.right:>6} {trial.wrong:>6} {trial.missed:>6}{state}")
        if trial.fault:
            tell(f"  {trial.fault}")
    return 1 if failed or not tried else 0


def _pull(names: tuple[str, ...], vision: VisionOptions) -> int:
    choices = [ModelChoice(model=name) for name in names] or list(vision.chosen().values())
    for choice in choices:
        if Path(choice.model).expanduser().is_dir():
            tell(f"{choice.model}: a local folder, nothing to fetch")
            continue
        folder = pull(choice)
        checked = (
            "as pinned" if find_pin(choice) else "not pinned: --vision.….revision COMMIT holds a model to a commit"
        )
        tell(f"{choice.model}@{folder.name[:12]}: {size_on_disk_mb(folder):.0f} MB, {checked}, in {folder}")
    return 0
