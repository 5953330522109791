"""The kinds of training data: one row each, from which their stage, their files and `--data` are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from instructions.dialogues.records import Dialogue
from instructions.navigation.records import Instruction
from instructions.questions.core.records import Question
from instructions.regions.records import Qar
from instructions.rows import Row
from roomtour.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from roomtour.config import Config

REPLIES = "replies"
"""Kept replies of the language model. Beside the stages' outputs, so that nothing paid for is lost when one fails."""


@dataclass(frozen=True)
class DataKind:
    """One kind of data. Its stage is `roomtour.stages.kinds.NAME`, which writes `RUN/NAME/`."""

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
    reads: tuple[str, ...]
    """Options that its stage gets, as `roomtour.stages.reads` has it: they decide its rows besides its inputs."""
    require: Callable[[Config, Path], None] | None = None
    """Refuses at once what would fail after the reconstruction: no client installed, or no server named."""


def require_language(config: Config, run: Path, *, looks: bool = False) -> None:
    """Refuse at once what would fail after the reconstruction: no client installed, or no server named.

    A run with kept replies may need neither, so it is let through.

    Args:
        config: Whose writer may be a language model.
        run: Its folder.
        looks: Whether a model looks at views also while measures write.

    Raises:
        InstructionError: One line on what to give.
    """
    if (looks or config.writer == "llm") and not (run / REPLIES).is_dir():
        from instructions.language.connect import connect_server

        connect_server(config.language)


def require_regions(config: Config, run: Path) -> None:
    """As `require_language`, also where views are looked at."""
    require_language(config, run, looks=config.regions.sight == "server")


def require_dialogues(config: Config, run: Path) -> None:
    """As `require_language`, also where a model captions views, and what reads words in them is not installed."""
    require_language(config, run, looks=config.dialogues.captions == "server")
    if config.dialogues.words == "rapidocr":
        from instructions.perception.models.rapid_ocr import require_rapid_ocr

        require_rapid_ocr()


def require_programs(config: Config, run: Path) -> None:
    """As `require_language`, also where there is no sandbox for the programs of a model."""
    require_language(config, run)
    if config.writer == "llm":
        from instructions.programs.running.sandbox import open_sandbox

        open_sandbox()


_WRITING = ("writer", "language", "seed")
_SHOWING = ("hide", "vision.folder")
"""Where pictures may be shown to a language model."""
KINDS: tuple[DataKind, ...] = (
    DataKind(
        name="navigation",
        title="Navigation texts",
        rows="instructions",
        noun="texts",
        record=Instruction,
        text="instructions and descriptions of ways, each with the checks of its claims",
        needs=("trajectories", "perception"),
        reads=("navigation", *_WRITING, "perception"),
        require=require_language,
    ),
    DataKind(
        name="spatial",
        title="Spatial questions",
        rows="spatial",
        noun="spatial questions",
        record=Question,
        text="questions and answers about views, each with the numbers that decided it",
        needs=("scene", "perception"),
        reads=("spatial", *_WRITING),
        require=require_language,
    ),
    DataKind(
        name="programs",
        title="Questions answered by programs",
        rows="programs",
        noun="questions answered by programs",
        record=Question,
        text="questions about images, sets of images and videos, each with the reference program's value",
        needs=("scene", "perception", "plan"),
        reads=("programs", *_WRITING, *_SHOWING),
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
        reads=("regions", *_WRITING, *_SHOWING, "perception", "vision.tags", "vision.device", "vision.dtype"),
        require=require_regions,
    ),
    DataKind(
        name="dialogues",
        title="Dialogues",
        rows="dialogues",
        noun="dialogues",
        record=Dialogue,
        text="talks, descriptions and tasks about single views and point clouds, each with what it rests on",
        needs=("scene", "perception", "plan"),
        reads=("dialogues", *_WRITING, *_SHOWING, "perception"),
        require=require_dialogues,
    ),
)
"""In the order in which they are made."""
KIND_NAMES = tuple(kind.name for kind in KINDS)


def count_families(rows: Iterable[Any]) -> dict[str, int]:
    """Accepted rows by family, most frequent first; rows of kinds without families are all of one, without a name."""
    return dict(Counter(getattr(row, "family", "") for row in rows if row.accepted).most_common())


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
