"""Which options a stage gets, and how they name its result.

A row of the table says which options its stage reads: sections (`scene`), single options of one (`navigation.naming`),
and options outside of sections (`seed`). The stage is handed these alone, and what it is handed is in its key, so none
can be forgotten there. Options that do not act are at their defaults in both, so that a change of them makes nothing
anew; files count by what they hold, not by where they lie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from instructions.errors import InstructionError
from instructions.perception.models.catalog import ABILITIES, Ability
from instructions.perception.models.light.folder import find_light_file, light_folder, why_not_light
from instructions.perception.models.options import ModelChoice, VisionOptions
from roomtour.config import Config
from roomtour.files.fingerprint import fingerprint

WITHOUT_EFFECT = frozenset(
    (
        *("vision.folder", "vision.device", "vision.threads"),
        *(f"language.{name}" for name in ("base_url", "key_variable", "concurrency", "timeout_s", "retries")),
        *(f"language.{name}" for name in ("requests_per_minute", "tokens_per_minute", "job_max_cost")),
        *("language.price_per_million_in", "language.price_per_million_out"),
    )
)
"""Options that say where and how the work is done, not what comes of it. Whoever forgets one here makes rows anew for
nothing; a wrong row takes one too many."""

T = TypeVar("T")
_OPTIONS: dict[str, Any] = {field.name: field.default for field in fields(Config)}
_LIGHT = ("folder", "box_threshold", "max_boxes", "max_overlap")
"""Of the vision options, those that light models take."""
_NETWORKS: Mapping[str, Callable[[Path], bool]] = {
    "keypoints": lambda folder: find_light_file("xfeat", folder) is not None,
    "floors": lambda folder: why_not_light(folder) is None,
    "names": lambda folder: why_not_light(folder) is None,
}
"""Whether networks that are used where they are lie in a folder of light models. Which ones those are is in the code,
which pins them."""


class ReadOptions(Config):
    """The options that a stage reads. To read another is our own mistake: the result would not be named by it."""

    def __getattribute__(self, name: str) -> Any:
        """The option, if the stage's row names it or its section."""
        if name in _OPTIONS:
            assert name in vars(self), f"a stage reads the option {name!r}, which its row does not name"
        return super().__getattribute__(name)


def take_options(config: Config, stage: str, reads: Sequence[str]) -> Config:
    """The options for a stage, settled: those that it reads, and within sections defaults for the others."""
    settled, taken = settle(config, stage), ReadOptions.__new__(ReadOptions)
    for section in {name.partition(".")[0] for name in reads}:
        value = getattr(settled, section)
        singles = [name.partition(".")[2] for name in reads if name.startswith(f"{section}.")]
        vars(taken)[section] = value if section in reads else _keep(value, singles)
    return taken


def _keep(options: T, names: Sequence[str]) -> T:
    """These options, and the others of the class at their defaults, however they would go together."""
    kept = type(options)()
    vars(kept).update({name: getattr(options, name) for name in names})
    return kept


def identify_options(config: Config, stage: str, reads: Sequence[str]) -> dict[str, object]:
    """What the options that a stage reads mean for its result, by their dotted names.

    Raises:
        InstructionError, ReconError: If a model or a file of poses is not there or cannot be read.
    """
    taken, meanings = take_options(config, stage, reads), dict[str, object]()
    for name in reads:
        value: object = taken
        for part in name.split("."):
            value = getattr(value, part)
        meanings |= _list_meanings(name, value, config)
    return meanings


def find_option_modules(reads: Sequence[str]) -> list[str]:
    """Modules that define the sections of which a stage reads something."""
    sections = {name.partition(".")[0] for name in reads}
    return sorted({type(_OPTIONS[name]).__module__ for name in sections if is_dataclass(_OPTIONS[name])})


def find_networks(names: Sequence[str], config: Config) -> list[str]:
    """Which of some networks lie on this machine."""
    folder = light_folder(config.vision.folder)
    return [name for name in names if _NETWORKS[name](folder)]


def settle(config: Config, stage: str) -> Config:
    """The options with those at their defaults that do not act in a stage."""
    features = config.features
    begins = stage == "features" and features.kind == "auto"  # as `sift` does
    changed: dict[str, Any] = {
        "features": replace(features, kind="sift") if begins else features,
        "vision": _settle_vision(config, stage),
    }
    idle = {
        "objects": config.perception == "landmarks",
        "landmarks": config.perception == "models",
        "pose_source": config.poses is None,
        "language": not _asks(config, stage),
        "hide": not _shows(config, stage),
    }
    changed |= {name: _OPTIONS[name] for name, is_idle in idle.items() if is_idle}
    return replace(config, **changed)


def _settle_vision(config: Config, stage: str) -> VisionOptions:
    """All options where large models look; of light ones their own; else only where the files lie."""
    options, kept = config.vision, ("folder",)
    if config.perception == "models" and stage == "vision":
        return options
    if stage == "regions" and (config.regions.labels == "models" or _looks(config.regions.critic)):
        kept = ("folder", "device", "dtype", "tags")
    elif config.perception in ("light", "server") and stage == "vision":
        kept = _LIGHT
    settled = _keep(options, kept)
    vars(settled).update({ability: ModelChoice(model="") for ability in ABILITIES if ability not in kept})
    return settled


def _looks(critic: Path | None) -> bool:
    """Whether a critic looks at pictures; of one that cannot be read its user says so."""
    if critic is None:
        return False
    from instructions.regions.critic.model import load_critic

    try:
        return load_critic(critic).look_size > 0
    except InstructionError:
        return False


def _asks(config: Config, stage: str) -> bool:
    """Whether a language model is asked."""
    if stage == "perception":
        return config.perception == "server"
    looks = {"regions": config.regions.sight, "dialogues": config.dialogues.captions}
    return config.writer == "llm" or looks.get(stage) == "server"


def _shows(config: Config, stage: str) -> bool:
    """Whether pictures are shown to somebody who must not see what is hidden in them."""
    is_llm, talks = config.writer == "llm", config.dialogues
    shown = {
        "perception": config.perception == "server",
        "programs": is_llm and config.programs.sight == "server",
        "regions": config.regions.sight == "server",
        "dialogues": (is_llm and talks.sight == "server") or talks.captions == "server" or talks.words != "off",
    }
    return shown.get(stage, True)


def _list_meanings(name: str, value: object, config: Config) -> Iterator[tuple[str, object]]:
    """Single options with what they mean; those without an effect are left out."""
    if name in WITHOUT_EFFECT:
        return
    if isinstance(value, ModelChoice):
        yield name, _identify_model(name, value)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _list_meanings(f"{name}.{field.name}", getattr(value, field.name), config)
    elif isinstance(value, Path):
        yield name, _identify_content(name, value, config)
    else:
        yield name, value


def _identify_model(name: str, choice: ModelChoice) -> list[str]:
    """A learned model by its name and its content; its batches decide nothing."""
    if not choice.model:
        return []
    from instructions.perception.models.weights import find_model

    model = find_model(cast(Ability, name.rpartition(".")[2]), choice)
    return [model.name, model.revision]


def _identify_content(name: str, path: Path, config: Config) -> object:
    """A file or folder by what it holds for us."""
    if name == "poses":
        from recon.pose_sources.match import content_key
        from recon.pose_sources.read import read_pose_sources

        return [path.name, content_key(read_pose_sources(path, config.pose_source.format))]  # the scene tells the name
    if name == "regions.counted":
        from roomtour.stages.counted_runs import count_kinds

        return sorted(count_kinds(path)[1].items())
    return fingerprint(path).sha256
