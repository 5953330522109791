"""Dialogues about views as ms-swift rows: each bracket of a text is `<bbox>`, each detected class `<ref-object>`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from instructions.dialogues.records import Dialogue, Turn
from instructions.dialogues.twins import make_twin
from roomtour.export.core.conversations import image_of, plain
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData

IMAGE, BOX, REF = "<image>", "<bbox>", "<ref-object>"
_MARKUP = re.compile(r"<[^<>]*>")
_BRACKET = re.compile(r"\[[\d., ]+\]")


def dialogue_rows(run: RunData, ledger: Ledger, pairs: bool) -> Iterator[tuple[dict[str, object], tuple[int, ...]]]:
    """Rows with the frames that they show; those about clouds are counted.

    Args:
        run: A tour.
        ledger: Where what is left out is counted.
        pairs: Only rows with a false twin, which is the rejected response.
    """
    kinds = sorted({one.category for one in run.objects if one.category})
    for row in run.rows.get("dialogues", ()):
        if not row.accepted:
            continue
        if row.cloud is not None:
            ledger.dropped["dialogue about a cloud, which the client does not take"] += 1
            continue
        twin = make_twin(row, kinds) if pairs else None
        if pairs and twin is None:
            ledger.dropped["no false twin"] += 1
            continue
        said = _Marks()
        messages = [
            {"role": role, "content": said.mark(text, turn, row)}
            for turn in row.turns[: twin.turn + 1 if twin is not None else None]
            for role, text in (("user", turn.question), ("assistant", turn.answer))
        ]
        messages[0]["content"] = IMAGE * len(row.views) + str(messages[0]["content"])
        out: dict[str, object] = {"id": row.id, "messages": messages}
        out["images"] = [image_of(run, frame) for frame in row.views]
        if twin is not None:
            # Its marks come after those of the true answer; a talk ends with the turn that it answers.
            turn = row.turns[twin.turn]
            asked = len(_BRACKET.findall(turn.question))
            out["rejected_response"] = said.mark(twin.answer, replace(turn, spots=twin.spots[asked:]), row)
        out["objects"] = {"ref": said.refs, "bbox": said.boxes, "bbox_type": "real"}
        yield out, row.views


class _Marks:
    """Puts marks into the texts of a row, and keeps what they stand for in their order."""

    def __init__(self) -> None:
        self.refs: list[str] = []
        self.boxes: list[list[float]] = []

    def mark(self, text: str, turn: Turn, row: Dialogue) -> str:
        """A text with marks; its brackets are the next spots of its turn."""
        clean = _MARKUP.sub("", plain(text))
        at = len(_BRACKET.findall(turn.question)) if text == turn.answer else 0
        spots = iter(turn.spots[at:])
        places = list(_BRACKET.finditer(clean))
        objects = row.truth.objects if row.truth is not None and row.task == "detect" else ()
        names = [one.name for one in objects] if len(objects) == len(places) and text == turn.answer else []
        edits = [(place.span(), BOX) for place in places]
        if names:
            edits += [(span, REF) for span in _find_names(clean, names, [place.span() for place in places])]
        for (begin, end), mark in sorted(edits):
            if mark == BOX:
                self.boxes.append([round(float(value), 2) for value in next(spots)])
            else:
                self.refs.append(clean[begin:end])
        for (begin, end), mark in sorted(edits, reverse=True):
            clean = clean[:begin] + mark + clean[end:]
        return clean


def _find_names(text: str, names: Sequence[str], spots: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where the class of each bracket stands: last before it, or, where the first one has none there, behind it."""
    lower = text.lower()
    is_before = lower.rfind(names[0].lower(), 0, spots[0][0]) >= 0
    borders = [0, *(end for _, end in spots)] if is_before else [*(begin for begin, _ in spots), len(text)]
    out = []
    for number, name in enumerate(names):
        if is_before:
            at = lower.rfind(name.lower(), borders[number], spots[number][0])
        else:
            at = lower.find(name.lower(), spots[number][1], borders[number + 1])
        if at >= 0:
            out.append((at, at + len(name)))
    return out
