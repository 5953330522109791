"""The instructions beside the frames they came from, with what geometry says of each claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from instructions.navigation.records import Instruction
from instructions.records import ClaimCheck, Observation, SceneObject
from roomtour.drawing.colors import object_color, text_on
from roomtour.drawing.map_marks import number_badge
from roomtour.drawing.markup import Markup, join, tag
from roomtour.drawing.text import clock, count, printable
from roomtour.drawing.thumbnails import Thumbnails

MAX_STRIP = 6
MAX_PICTURES = 60
OPEN_INSTRUCTIONS = 24


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


def choose_strips(
    instructions: Sequence[Instruction], seen: Mapping[tuple[int, str], Observation]
) -> dict[str, tuple[int, ...]]:
    """Frames to show for each accepted instruction, by its id.

    The way is cut into equal parts and the frame of each that shows most of the instruction's objects is taken. Each
    gets the same number of parts, at most six, and so many that all together need at most `MAX_PICTURES` pictures;
    when even one picture each is too many, later instructions go without.
    """
    accepted = [instruction for instruction in instructions if instruction.accepted]
    for parts in range(MAX_STRIP, 0, -1):
        strips = {instruction.id: _strip(instruction, seen, parts) for instruction in accepted}
        if len({frame for strip in strips.values() for frame in strip}) <= MAX_PICTURES:
            return strips
    shown: set[int] = set()
    strips = {}
    for instruction in accepted:
        strip = _strip(instruction, seen, 1)
        strips[instruction.id] = strip if len(shown | set(strip)) <= MAX_PICTURES else ()
        shown |= set(strips[instruction.id])
    return strips


def draw_instructions(
    instructions: Sequence[Instruction], strips: Mapping[str, Sequence[int]], view: InstructionView
) -> Markup:
    """Accepted instructions with their frames, then the rejected ones, folded, with the reason."""
    accepted = [instruction for instruction in instructions if instruction.accepted]
    rejected = [instruction for instruction in instructions if not instruction.accepted]
    if not instructions:
        return tag("p", "No instructions were written.", class_="none")
    cards = [_card(instruction, strips.get(instruction.id, ()), view) for instruction in accepted]
    head, rest = cards[:OPEN_INSTRUCTIONS], cards[OPEN_INSTRUCTIONS:]
    parts = head if accepted else [tag("p", "Every text was rejected; the reasons are below.", class_="none")]
    if rest:
        parts.append(tag("details", tag("summary", count(len(rest), "more instruction")), rest))
    if rejected:
        parts.append(
            tag(
                "details",
                tag("summary", f"{count(len(rejected), 'rejected text')} and why"),
                [_rejected(instruction, view) for instruction in rejected],
                class_="rejected",
            )
        )
    return join(parts)


def _strip(instruction: Instruction, seen: Mapping[tuple[int, str], Observation], parts: int) -> tuple[int, ...]:
    frames = instruction.views
    parts = min(parts, len(frames))
    cuts = [round(part * len(frames) / parts) for part in range(parts + 1)] if parts else [0]

    def shown(frame: int) -> float:
        return sum(seen[frame, name].visible_fraction for name in instruction.objects if (frame, name) in seen)

    return tuple(max(frames[first:last], key=shown) for first, last in pairwise(cuts))


def _card(instruction: Instruction, strip: Sequence[int], view: InstructionView) -> Markup:
    pictures = [_picture(frame, instruction.objects, view) for frame in strip]
    named = [
        tag("li", number_badge(view.number_of[name]), " ", printable(view.objects[name].alias))
        for name in dict.fromkeys(instruction.objects)
        if name in view.number_of
    ]
    return tag(
        "article",
        _head(instruction, view),
        tag("blockquote", instruction.text),
        tag("ol", pictures, class_="strip") if pictures else None,
        tag("ul", named, class_="keys", aria_label="Objects it names") if named else None,
        _claims(instruction.claims),
        class_="instruction",
    )


def _head(instruction: Instruction, view: InstructionView) -> Markup:
    times = [view.time_s[frame] for frame in instruction.views if frame in view.time_s]
    when = f"{clock(min(times))} – {clock(max(times))}" if times else ""
    return tag(
        "p",
        tag("span", instruction.kind, class_="kind asked" if instruction.kind == "instruction" else "kind"),
        tag("span", when),
        tag("span", f"model {printable(instruction.model)}"),
        tag("span", f"by {printable(instruction.writer)}, seen by {printable(instruction.perception)}"),
        tag("code", printable(instruction.id)),
        class_="meta",
    )


def _picture(frame: int, objects: Sequence[str], view: InstructionView) -> Markup:
    seen = [
        (name, view.seen[frame, name])
        for name in dict.fromkeys(objects)
        if (frame, name) in view.seen and name in view.number_of
    ]
    boxes = [_box(view.number_of[name], found, view.width_px.get(frame, 480)) for name, found in seen]
    when = clock(view.time_s[frame]) if frame in view.time_s else ""
    aliases = ", ".join(f"{view.number_of[name]} {printable(view.objects[name].alias)}" for name, _ in seen)
    label = f"Frame {frame} at {when}" + (f" with {aliases}" if aliases else "")
    return tag("li", view.thumbnails.show(frame, label, *boxes), tag("span", when, class_="when"))


def _box(key: int, found: Observation, width_px: int) -> Markup:
    """The box of an object on its frame, with the number it has on the page."""
    x0, y0, x1, y1 = found.box_xyxy
    color = object_color(key)
    letter = width_px * 0.066
    tab_width, tab_height = letter * (0.75 * len(str(key)) + 0.5), letter * 1.25
    top = max(y0, 0.0)
    return tag(
        "g",
        tag("rect", x=x0, y=y0, width=max(x1 - x0, 0.0), height=max(y1 - y0, 0.0), stroke=color, class_="box"),
        tag("rect", x=x0, y=top, width=tab_width, height=tab_height, fill=color),
        tag(
            "text", key, x=x0 + tab_width / 2, y=top + tab_height * 0.54, fill=text_on(color), font_size=letter,
            class_="box-key",
        ),
    )  # fmt: skip


def _claims(checks: Sequence[ClaimCheck]) -> Markup | None:
    if not checks:
        return None
    true = sum(check.true for check in checks)
    rows = [
        tag(
            "li",
            tag("span", "✓ true" if check.true else "✗ false", class_="good" if check.true else "bad"),
            tag(
                "span", tag("q", check.claim.text), " ", tag("span", check.claim.kind.replace("_", " "), class_="where")
            ),
            tag("span", check.reason, class_="reason"),
        )
        for check in checks
    ]
    summary = f"{true} of {count(len(checks), 'claim')} true to the geometry"
    return tag("details", tag("summary", summary), tag("ul", rows, class_="checks"))


def _rejected(instruction: Instruction, view: InstructionView) -> Markup:
    return tag(
        "article",
        _head(instruction, view),
        tag("blockquote", instruction.text),
        tag("p", tag("strong", "Rejected: ", class_="bad"), instruction.rejection or "no reason was recorded"),
        _claims(instruction.claims),
        class_="instruction",
    )
