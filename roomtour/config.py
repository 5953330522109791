"""All options of a run, composed from the stages' own option classes, and the YAML form of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_type_hints

import yaml
from annotated_types import Ge, Le
from pydantic import TypeAdapter, ValidationError

from instructions.dialogues.options import DialogueOptions
from instructions.language.options import LanguageOptions
from instructions.navigation.grammar_writer import WriterOptions
from instructions.perception.hiding.words import split_words
from instructions.perception.landmarks.landmarks import LandmarkOptions
from instructions.perception.models.options import VisionOptions
from instructions.perception.things.objects import ObjectOptions
from instructions.questions.core.options import ProgramOptions, SpatialOptions
from instructions.regions.options import RegionOptions
from recon.given_files import read_given_text
from recon.mapping.options import SfmOptions
from recon.matching.interfaces import FeatureOptions
from recon.pose_sources.records import PoseSourceOptions
from recon.ranges import AtLeastOne, Positive, Seed
from recon.upright.scene import SceneOptions
from recon.video.sampling import SampleOptions
from recon.video.shots import ClipOptions
from recon.video.transitions import TransitionOptions
from roomtour.errors import RoomtourError, UsageError, did_you_mean
from roomtour.files.paths import require_usable_path
from roomtour.options.fields import config_options
from roomtour.options.yaml_text import read_yaml
from roomtour.tour_facts import TourFacts
from trajectories.build import TrajectoryOptions
from trajectories.floor_plan import FloorPlanOptions

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class InputOptions:
    """How the input is read."""

    fps: Positive | None = None
    """Frames per second of a folder of images; a video brings its own times."""
    rotate: Literal[0, 90, 180, 270] = 0
    """Turn the pictures clockwise by so many degrees: for a video that lies on its side and does not say so."""
    stretch: Annotated[float, Ge(0.2), Le(5)] | None = None
    """Make the pictures so many times as wide, after what the file says: for films that were squeezed sideways without
    saying so. Found from the reconstruction if not given; 1 leaves the pictures as they are."""
    mask_overlays: bool = True
    """Take no features from bars, watermarks, titles and clocks that stand still over the moving picture."""


@dataclass(frozen=True, kw_only=True)
class Config:
    """Every option of `roomtour process`, the same in Python, on the command line and in YAML."""

    poses: Path | None = None
    """Take the camera poses from here instead of structure from motion: a COLMAP model, TUM, transforms.json, ViPE."""
    input: InputOptions = InputOptions()
    """Reading the input"""
    sample: SampleOptions = SampleOptions()
    """Sampling frames"""
    transitions: TransitionOptions = TransitionOptions()
    """How dissolves and fades are found"""
    clips: ClipOptions = ClipOptions()
    """Clips inside a shot"""
    features: FeatureOptions = FeatureOptions()
    """Keypoints and the camera"""
    recon: SfmOptions = SfmOptions()
    """Structure from motion per clip"""
    pose_source: PoseSourceOptions = PoseSourceOptions()
    """Reading and trusting --poses"""
    scene: SceneOptions = SceneOptions()
    """Upright, scaled scene"""
    trajectory: TrajectoryOptions = TrajectoryOptions()
    """View changes and candidates"""
    plan: FloorPlanOptions = FloorPlanOptions()
    """Floor plan and rooms"""
    landmarks: LandmarkOptions = LandmarkOptions()
    """Embedded perception"""
    vision: VisionOptions = VisionOptions()
    """Learned models (--perception light, models or server)"""
    objects: ObjectOptions = ObjectOptions()
    """Detections to things (--perception light, models or server)"""
    navigation: WriterOptions = WriterOptions()
    """Navigation texts (--data navigation)"""
    spatial: SpatialOptions = SpatialOptions()
    """Spatial questions (--data spatial)"""
    programs: ProgramOptions = ProgramOptions()
    """Questions answered by programs (--data programs)"""
    regions: RegionOptions = RegionOptions()
    """Region knowledge (--data regions)"""
    dialogues: DialogueOptions = DialogueOptions()
    """Dialogues about views and clouds (--data dialogues)"""
    language: LanguageOptions = LanguageOptions()
    """Language model (--writer llm, --perception server)"""
    tour: TourFacts = TourFacts()
    """What is known of the tour: whose it is, and what one may do with it"""
    data: tuple[str, ...] = ("navigation", "spatial")
    """Kinds of training data to make."""
    perception: Literal["auto", "landmarks", "light", "models", "server"] = "auto"
    """What names and finds objects: landmarks out of the reconstruction, which know no names, light models on a CPU,
    large ones, or an OpenAI-compatible server that is shown what light models, or landmarks without them, have found.
    `auto` takes light models where they are on this machine, else landmarks."""
    writer: Literal["embedded", "llm"] = "embedded"
    """What writes texts of every kind: the built-in grammar and templates, or a language model."""
    hide: str = ""
    """What is pixelated in the pictures of the report and of every export, such as `person,screen`; the frames of the
    run folder stay as they are. Found by the light models."""
    seed: Seed = 0
    """Seed of every random choice."""
    workers: AtLeastOne | None = None
    """Processes that work at once; the results do not depend on it. Each needs about 300 MB. By default as many as the
    machine that runs lets us use."""

    def __post_init__(self) -> None:
        split_words(self.hide)

    def to_dict(self) -> dict[str, Any]:
        """As plain nested values, the form of the YAML file and of the manifest."""
        return _spell_paths(asdict(self))


def _spell_paths(value: Any) -> Any:
    """The same with paths as texts, at any depth."""
    if isinstance(value, dict):
        return {name: _spell_paths(inner) for name, inner in value.items()}
    return str(value) if isinstance(value, Path) else value


def config_from_dict(
    values: Any, where: str = "configuration", sources: Mapping[str, str] | None = None, base: Config | None = None
) -> Config:
    """Build a Config from nested plain values; names may use `-` or `_`.

    Args:
        values: What differs from `base`.
        where: Where the values come from, for the error.
        sources: The words of the command line that set single dotted names.
        base: The defaults if not given.

    Raises:
        RoomtourError: For an unknown key (lists the known ones) or a value of the wrong type.
    """
    return options_from_dict(base or Config(), with_underscores(values, where), where, sources or {})


def options_from_dict(options: T, values: Any, where: str, sources: Mapping[str, str]) -> T:
    """A class of options with nested plain values in place of its own, checked as `config_from_dict` does."""
    return _replaced(options, values, (), where, sources)


def require_ranges(config: Config) -> None:
    """Hold every option against its type: for those that were set in Python, which nothing checks.

    Raises:
        RoomtourError: Naming the first option out of its range.
    """
    options_from_dict(config, asdict(config), "options", {})


def load_config(path: Path) -> Config:
    """Read a Config from a YAML file.

    Raises:
        RoomtourError: If the file cannot be read, is no YAML, or holds an unknown key or a wrong value.
    """
    return config_from_dict(read_config_file(path), f"--config {path}")


def read_config_file(path: Path) -> Any:
    """The values of a YAML file, unchecked; an empty file gives none.

    Raises:
        RoomtourError: If the file cannot be read or is no YAML.
    """
    try:
        values = read_yaml(read_given_text(path))
    except OSError as error:
        raise RoomtourError(f"--config {path}: {error.strerror or error}") from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise RoomtourError(f"--config {path}: not valid YAML: {' '.join(str(error).split())}") from error
    return {} if values is None else values


def with_underscores(values: Any, where: str) -> Any:
    """The same values under the names of options as Python has them.

    Raises:
        RoomtourError: If an option is given twice, once with `-` and once with `_`.
    """
    if not isinstance(values, dict):
        return values
    named: dict[str, Any] = {}
    for key, value in values.items():
        name = str(key).replace("-", "_")
        if name in named:
            raise RoomtourError(f"{where}: {name} is given twice, with - and with _; keep one of them")
        named[name] = with_underscores(value, where)
    return named


def _replaced(options: T, values: Any, inside: tuple[str, ...], where: str, sources: Mapping[str, str]) -> T:
    """Options with the given values in place of their own; what is not given stays, also where a class that holds
    others gives them defaults of its own.
    """
    place = ".".join(inside) or "the top level"
    if not isinstance(values, dict):
        raise RoomtourError(f"{where}: {place} must be a mapping of option names to values, got {values!r}")
    hints = _hints(type(options))
    changed: dict[str, Any] = {}
    for key, value in values.items():
        name = str(key)
        if name not in hints:
            known = ", ".join(hints)
            raise RoomtourError(f"{where}: unknown key {key!r} at {place}.{_hint(name, inside, hints)} Known: {known}")
        own, dotted = getattr(options, name), (*inside, name)
        if is_dataclass(own):
            changed[name] = _replaced(own, value, dotted, where, sources)
        else:
            changed[name] = _checked(value, hints[name], ".".join(dotted), where, sources)
    return replace(options, **changed)  # type: ignore[type-var]  # every class of options is a dataclass


def _checked(value: Any, hint: Any, name: str, where: str, sources: Mapping[str, str]) -> Any:
    """The value as the type of its field; numbers may come as text."""
    try:
        checked = _adapter(hint).validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        says = first["msg"].lower()
        if name in sources:
            raise UsageError(f"{sources[name]}: {says}") from error
        raise RoomtourError(f"{where}: {name} is {first['input']!r}: {says}") from error
    if isinstance(checked, Path):
        if value == "":  # Python takes it for the current folder
            raise RoomtourError(f"{sources.get(name, where)}: {name} is an empty path")
        require_usable_path(checked, f"{where}: {name}")
    return checked


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls, include_extras=True)


@cache
def _adapter(hint: Any) -> TypeAdapter[Any]:
    return TypeAdapter(hint)


def _hint(name: str, inside: tuple[str, ...], here: Iterable[str]) -> str:
    """What was meant: a name nearby, else one like it anywhere."""
    return did_you_mean(name, here) or did_you_mean(
        ".".join((*inside, name)), [option.name for option in config_options()]
    )
