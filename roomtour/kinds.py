"""The kinds of training data: one row each, from which their stage, their files and `--data` are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from instructions.dialogues.records import Dialogue
from instructions.navigation.records import Instruction
from instructions.programs.records import ProgramQuestion
from instructions.regions.options import RegionOptions
from instructions.regions.records import Qar
from instructions.rows import Row
from instructions.spatial.records import SpatialQuestion
from roomtour.errors import UsageError, did_you_mean
from roomtour.files.fingerprint import fingerprint

if TYPE_CHECKING:
    from roomtour.config import Config

REPLIES = "replies"
"""Kept replies of the language model. Beside the stages' outputs, so that nothing paid for is lost when one fails."""


@dataclass(frozen=True)
class DataKind:
    """One kind of data. Its stage is `roomtour.stages.NAME`, which writes `RUN/NAME/`."""

    name: str
    title: str
    """What its stage is called while it runs."""
    rows: str
    """What its rows are called: the attribute of `Run`, and the file of the open export format."""
    noun: str
    """What its rows are to people: `texts`."""
    record: type[Row]
    text: str
    """What a row is, for people."""
    needs: tuple[str, ...]
    """Stages whose results it reads."""
    options: Callable[[Config], object]
    """What decides its rows besides its inputs."""
    require: Callable[[Config, Path], None] | None = None
    """Refuses at once what would fail after the reconstruction: no client installed, or no server named."""
    counted: Callable[[Config], Path | None] = lambda config: None
    """Folder of runs whose things it counts: its rows are made again when other things lie there."""


def require_language(config: Config, run: Path) -> None:
    """Refuse at once what would fail after the reconstruction: no client installed, or no server named.

    A run with kept replies may need neither, so it is let through.

    Raises:
        InstructionError: One line on what to give.
    """
    if config.writer == "llm" and not (run / REPLIES).is_dir():
        from instructions.language.connect import connect_server

        connect_server(config.language)


def require_regions(config: Config, run: Path) -> None:
    """As `require_language`, also where a model looks at views while measures write.

    Raises:
        InstructionError: One line on what to give.
    """
    looks = config.regions.sight == "server"
    require_language(replace(config, writer="llm") if looks else config, run)


def identify_file(path: Path | None) -> str | None:
    """A file, or the files of a folder, by content: a stage is made again when it changes. None where there is none."""
    if path is None or not path.exists():
        return None
    digest = sha256()
    for one in sorted(path.glob("*.toml")) if path.is_dir() else [path]:
        digest.update(one.name.encode())
        digest.update(one.read_bytes())
    return digest.hexdigest()


def _identify_region_folders(options: RegionOptions) -> list[object]:
    """The options with what the folders that they name hold in place of where these lie; `counted` stands beside them.

    Rows are made again after a critic was trained anew or another encoder was put into the same folder, and not
    because a folder was moved.
    """
    found: list[object] = [replace(options, sentences=None, counted=None, critic=None)]
    if options.sentences is not None:
        found.append(["sentences", fingerprint(options.sentences).sha256])
    if options.critic is not None:
        found.append(["critic", fingerprint(options.critic).sha256])
    return found


def require_dialogues(config: Config, run: Path) -> None:
    """As `require_language`, also where a model captions views while measures write, and what reads words in them.

    Raises:
        InstructionError: One line on what to give or install.
    """
    looks = config.dialogues.captions == "server"
    require_language(replace(config, writer="llm") if looks else config, run)
    if config.dialogues.words == "rapidocr":
        from instructions.perception.models.rapid_ocr import require_rapid_ocr

        require_rapid_ocr()


def _looks_at_pictures(config: Config) -> bool:
    """Whether rows rest on pictures besides what perception found: what is hidden in them counts then."""
    options = config.dialogues
    shown = options.sight == "server" and config.writer == "llm"
    return shown or options.captions == "server" or options.words != "off"


def require_programs(config: Config, run: Path) -> None:
    """Refuse at once what would fail after the reconstruction: no server to ask, or no sandbox for its programs.

    Raises:
        InstructionError: One line on what to give or install.
    """
    require_language(config, run)
    if config.writer == "llm":
        from instructions.programs.running.sandbox import open_sandbox

        open_sandbox()


KINDS: tuple[DataKind, ...] = (
    DataKind(
        name="navigation",
        title="Navigation texts",
        rows="instructions",
        noun="texts",
        record=Instruction,
        text="instructions and descriptions of ways, each with the checks of its claims",
        needs=("trajectories", "perception"),
        options=lambda config: [
            config.navigation,
            config.writer,
            config.seed,
            # The grammar's texts do not depend on the options of the language model.
            *(config.language.identity if config.writer == "llm" else []),
        ],
        require=require_language,
    ),
    DataKind(
        name="spatial",
        title="Spatial questions",
        rows="spatial",
        noun="spatial questions",
        record=SpatialQuestion,
        text="questions and answers about single views, each with the numbers that decided it",
        needs=("scene", "perception"),
        options=lambda config: [
            config.spatial,
            config.seed,
            *([config.writer, *config.language.identity] if config.writer == "llm" else []),
        ],
        require=require_language,
    ),
    DataKind(
        name="programs",
        title="Questions answered by programs",
        rows="programs",
        noun="questions answered by programs",
        record=ProgramQuestion,
        text="questions about images, sets of images and videos, each with the reference program's value",
        needs=("scene", "perception", "plan"),
        options=lambda config: [
            config.programs,
            config.seed,
            # Reference rows do not depend on the options of the language model.
            *(["llm", *config.language.identity] if config.writer == "llm" else []),
            *([config.hide] if config.writer == "llm" and config.programs.sight == "server" and config.hide else []),
        ],
        require=require_programs,
    ),
    DataKind(
        name="regions",
        title="Region knowledge",
        rows="qars",
        noun="questions with reasons",
        record=Qar,
        text="questions, answers and reasons about numbered parts of views, each claim measured",
        needs=("scene", "perception", "plan"),
        options=lambda config: [
            *_identify_region_folders(config.regions),
            config.writer,
            config.seed,
            *(config.language.identity if config.writer == "llm" or config.regions.sight == "server" else []),
            *([config.hide] if config.regions.sight == "server" and config.hide else []),
        ],
        require=require_regions,
        counted=lambda config: config.regions.counted,
    ),
    DataKind(
        name="dialogues",
        title="Dialogues",
        rows="dialogues",
        noun="dialogues",
        record=Dialogue,
        text="talks, descriptions and tasks about single views and point clouds, each with what it rests on",
        needs=("scene", "perception", "plan"),
        options=lambda config: [
            config.dialogues,
            [identify_file(path) for path in (config.dialogues.knowledge, config.dialogues.annotations)],
            identify_file(config.dialogues.pools),
            config.writer,
            config.seed,
            *(config.language.identity if config.writer == "llm" or config.dialogues.captions == "server" else []),
            *([config.hide] if config.hide and _looks_at_pictures(config) else []),
        ],
        require=require_dialogues,
    ),
)
"""In the order in which they are made."""
KIND_NAMES = tuple(kind.name for kind in KINDS)


def require_kinds(names: Sequence[str], flag: str = "--data") -> tuple[str, ...]:
    """The kinds of these names in the order they are made, each once.

    Args:
        names: In any order.
        flag: What to call the words in an error.

    Raises:
        UsageError: For a name that is no kind, with the nearest one, and for one name that is no list.
    """
    if isinstance(names, str):
        raise UsageError(f"{flag}: need a list of kinds of data, such as [{names}]")
    for name in names:
        if name not in KIND_NAMES:
            known = ", ".join(KIND_NAMES)
            raise UsageError(f"{flag} {name}: no such kind of data.{did_you_mean(name, KIND_NAMES)} Known: {known}")
    return tuple(name for name in KIND_NAMES if name in names)
