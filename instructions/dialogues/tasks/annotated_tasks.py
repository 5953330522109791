"""Tasks that only annotations can answer: parts of bodies, and what is written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from instructions.dialogues.records import Evidence, TalkBox, TaskTruth
from instructions.dialogues.tasks.annotations import Annotation, Person
from instructions.dialogues.tasks.tasks import Draft
from instructions.language.quoting import name as plain_words

_READABLE = re.compile(r"[^\"'\u201c\u201d\[\]{}<>|\x00-\x1f\x7f]{1,80}")
"""What can stand between quotation marks: the answer's only ones, with nothing that stands for a place or a medium."""
_LEAST_LETTERS = 2
_LEAST_KEYPOINTS = 3
"""Parts of a person that must be marked: of one with fewer most lies outside or is hidden."""
_INSIDE_SHARE = 0.05
"""Of the person's longer side: keypoints lie no further off its box."""
_SAME_SHARE = 0.02
"""Of the longer side: parts nearer to each other than this have one place."""


def find_annotated_tasks(annotations: Sequence[Annotation]) -> tuple[list[Draft], Counter[str]]:
    """Tasks about one frame, and how many annotations were left out by reason.

    Args:
        annotations: Of that frame.
    """
    out: list[Draft] = []
    left: Counter[str] = Counter()
    for one in annotations:
        for number, person in enumerate(one.people):
            out += _ask_keypoints(one, number, person, left)
        texts = Counter(word.text for word in one.words)
        for number, word in enumerate(one.words):
            text = " ".join(word.text.split())
            if not _READABLE.fullmatch(text) or sum(sign.isalnum() for sign in text) < _LEAST_LETTERS:
                left["words_not_quotable"] += 1
                continue
            if texts[word.text] > 1:
                left["words_twice"] += 1
                continue
            thing = TalkBox(f"{one.frame} words {number}", "words", word.box_xyxy)
            evidence = (Evidence(f"words {number}", f"read by {one.source}", (thing.object,)),)
            truth = TaskTruth(label=text, words=tuple(text.split()), objects=(thing,))
            out.append(
                Draft("words", f"words {number} {text}", truth, evidence, {"A": text}, asked_spot=word.box_xyxy,
                      boxes=(thing,), names_class="words")
            )  # fmt: skip
    return out, left


def _ask_keypoints(one: Annotation, number: int, person: Person, left: Counter[str]) -> list[Draft]:
    x0, y0, x1, y1 = person.box_xyxy
    longer = max(x1 - x0, y1 - y0)
    slack = _INSIDE_SHARE * longer
    if len(person.keypoints) < _LEAST_KEYPOINTS:
        left["person_with_few_keypoints"] += 1
        return []
    thing = TalkBox(f"{one.frame} person {number}", "person", person.box_xyxy)
    out = []
    for point in person.keypoints:
        part = plain_words(point.name)
        if not (x0 - slack <= point.x <= x1 + slack and y0 - slack <= point.y <= y1 + slack) or not part:
            left["keypoint_off_its_person"] += 1
            continue
        others = [other for other in person.keypoints if other is not point]
        if any(max(abs(other.x - point.x), abs(other.y - point.y)) < _SAME_SHARE * longer for other in others):
            left["keypoints_in_one_place"] += 1
            continue
        spot = (point.x, point.y)
        evidence = (Evidence(f"keypoint {number} {part}", f"{part} marked by {one.source}", (thing.object,)),)
        truth = TaskTruth(label=part, point=spot, objects=(thing,))
        out.append(
            Draft("keypoints", f"{part} {number}", truth, evidence, {"P": part}, asked_spot=person.box_xyxy,
                  told_spot=spot, boxes=(thing,), names_class=part)
        )  # fmt: skip
    return out
