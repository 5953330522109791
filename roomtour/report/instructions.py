"""The instructions beside the frames they came from, with what geometry says of each claim; and each thing with a name,
sure or not, on the frame that shows it best: whether names are right is seen at a glance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from instructions.navigation.records import Instruction
from instructions.records import Observation, SceneObject
from roomtour.drawing.clauses import cut_clauses, trim_words
from roomtour.drawing.pages import render
from roomtour.drawing.svg import draw_box
from roomtour.drawing.text import clock, printable
from roomtour.drawing.thumbnails import Thumbnails, spread
from roomtour.files.records import group_by

MAX_STRIP = 6
MAX_PICTURES = 60
OPEN_WAYS = 8


@dataclass(frozen=True, eq=False)
class InstructionView:
    """What drawing instructions needs to look up."""

    thumbnails: Thumbnails
    time_s: Mapping[int, float]
    """By frame."""
    width_px: Mapping[int, int]
    """Of the sampled frame, by frame."""
    number_of: Mapping[str, int]
    """Number on the page by object id."""
    objects: Mapping[str, SceneObject]
    """By object id."""
    seen: Mapping[tuple[int, str], Observation]
    """By frame and object id."""

    def when(self, frame: int) -> str:
        """The time of a frame, if it has one."""
        return clock(self.time_s[frame]) if frame in self.time_s else ""

    def span(self, frames: Sequence[int]) -> str:
        """From the first to the last time of these frames."""
        times = [self.time_s[frame] for frame in frames if frame in self.time_s]
        return f"{clock(min(times))} – {clock(max(times))}" if times else ""

    def picture(self, frame: int, objects: Sequence[str]) -> Markup:
        """A frame with the boxes of those of the objects that it sees."""
        seen = {
            name: self.seen[frame, name] for name in objects if (frame, name) in self.seen and name in self.number_of
        }
        boxes = [
            draw_box(
                self.number_of[name],
                str(self.number_of[name]),
                found.box_xyxy,
                self.width_px.get(frame, 480),
                is_dashed=self.objects[name].category is None,  # it has no sure name
            )
            for name, found in seen.items()
        ]
        aliases = ", ".join(f"{self.number_of[name]} {printable(self.objects[name].alias)}" for name in seen)
        label = f"Frame {frame} at {self.when(frame)}" + (f" with {aliases}" if aliases else "")
        return self.thumbnails.show(frame, label, *boxes)


@dataclass(frozen=True)
class ToldWay:
    """Texts about the same frames of the same model."""

    model: str
    views: tuple[int, ...]
    texts: tuple[Instruction, ...]

    @property
    def objects(self) -> tuple[str, ...]:
        """Ids of what any of the texts names, each once, in their order."""
        return tuple(dict.fromkeys(name for text in self.texts for name in text.objects))

    def tell(self, strip: Sequence[int]) -> list[tuple[int, str]]:
        """Frames of the way, each with the words of the first text that have begun to hold since the one before."""
        clauses = cut_clauses(self.texts[0])
        out = []
        for last, frame in pairwise([-1, *strip]):
            until = frame if frame != strip[-1] else max(frame, *(clause.first_frame for clause in clauses))
            begun = [clause.text for clause in clauses if last < clause.first_frame <= until]
            out.append((frame, trim_words("".join(begun))))
        return out


def group_ways(instructions: Sequence[Instruction]) -> tuple[ToldWay, ...]:
    """Accepted texts by the way that they tell, in the order of the first of each."""
    accepted = (instruction for instruction in instructions if instruction.accepted)
    texts = group_by(accepted, lambda text: (text.model, tuple(text.views)))
    return tuple(ToldWay(model, views, tuple(members)) for (model, views), members in texts.items())


def choose_strips(
    instructions: Sequence[Instruction], seen: Mapping[tuple[int, str], Observation]
) -> dict[str, tuple[int, ...]]:
    """Frames to show for each accepted instruction, by its id; the same for all texts of a way.

    The way is cut into equal parts and the frame of each that shows most of what its texts name is taken. Each way
    gets the same number of parts, at most six, and so many that all together need at most `MAX_PICTURES` pictures;
    when even one picture each is too many, later ways go without.
    """
    ways = group_ways(instructions)
    for parts in range(MAX_STRIP, 0, -1):
        strips = [_strip(way, seen, parts) for way in ways]
        if len({frame for strip in strips for frame in strip}) <= MAX_PICTURES:
            return _by_text(ways, strips)
    shown: set[int] = set()
    strips = []
    for way in ways:
        strip = _strip(way, seen, 1)
        strips.append(strip if len(shown | set(strip)) <= MAX_PICTURES else ())
        shown |= set(strips[-1])
    return _by_text(ways, strips)


def _by_text(ways: Sequence[ToldWay], strips: Sequence[tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    return {text.id: strip for way, strip in zip(ways, strips, strict=True) for text in way.texts}


def draw_instructions(
    instructions: Sequence[Instruction], strips: Mapping[str, Sequence[int]], view: InstructionView
) -> Markup:
    """Ways with their frames and the accepted texts about each, then the rejected texts, folded, with the reason."""
    return render(
        "report/instructions.html",
        ways=group_ways(instructions),
        rejected=[instruction for instruction in instructions if not instruction.accepted],
        strips=strips,
        view=view,
        open=OPEN_WAYS,
    )


def _strip(way: ToldWay, seen: Mapping[tuple[int, str], Observation], parts: int) -> tuple[int, ...]:
    frames = way.views
    parts = min(parts, len(frames))
    cuts = [round(part * len(frames) / parts) for part in range(parts + 1)] if parts else [0]

    def seen_share(frame: int) -> float:
        return sum(seen[frame, name].visible_fraction for name in way.objects if (frame, name) in seen)

    return tuple(max(frames[first:last], key=seen_share) for first, last in pairwise(cuts))


MAX_GALLERY = 48
"""Pictures; of more things some are left out, evenly over the tour."""
_LEAST_SHARE = 0.1
"""Words that are less probable are not worth reading."""
_HELD = {"floor": "on the floor", "wall": "on the wall", "thing": "on something else"}


def choose_gallery(objects: Sequence[SceneObject], observations: Sequence[Observation]) -> dict[str, int]:
    """The best frame of each named thing, by its id: the surest view of most of it, the earlier of equal ones."""
    views = group_by(observations, lambda seen: seen.object)
    best = {name: max(seen, key=lambda one: one.score * one.visible_fraction) for name, seen in views.items()}
    named = [thing.id for thing in objects if thing.likely_category is not None and thing.id in best]
    return {name: best[name].frame for name in spread(named, MAX_GALLERY)}


def draw_gallery(objects: Sequence[SceneObject], frame_of: dict[str, int], view: InstructionView) -> Markup | None:
    """The pictures with box and name; None where nothing has a name."""
    named = [thing for thing in objects if thing.likely_category is not None]
    shown = [thing for thing in named if thing.id in frame_of]
    if not shown:
        return None
    return render(
        "report/gallery.html",
        things=[
            {"item": thing, "frame": frame_of[thing.id], "words": _words(thing), "held": _hold(thing, view)}
            for thing in shown
        ],
        more=len(named) - len(shown),
        is_any_doubtful=any(thing.category is None for thing in shown),
        view=view,
    )


def _words(thing: SceneObject) -> str:
    """What else it may be."""
    told = [f"{word} {share:.0%}" for word, share in thing.categories if share >= _LEAST_SHARE]
    return ", ".join(told) if len(told) > 1 or thing.category is None else ""


def _hold(thing: SceneObject, view: InstructionView) -> str:
    under = view.objects.get(thing.rests_on or "")
    if under is not None:
        return f"on the {under.alias}"
    return _HELD[thing.support] if thing.support else ""
