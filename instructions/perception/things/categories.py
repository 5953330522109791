"""What a thing may be: the words that networks gave its boxes, each with the evidence behind it over all frames.

No network is asked for probabilities it does not have. How large, how high and on what a thing stands is not weighed
here: on ten labelled tours that made no name surer. Whether the box of a thing allows its name is `certainty`'s to say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from instructions.perception.models.light.labels import head_of
from instructions.perception.things.lift import Lifted
from instructions.records import Detection, Support

_LEAST_TOLD = 0.02
"""Words with a smaller share of the evidence are left out."""


@dataclass(frozen=True)
class Verdict:
    """What a thing is."""

    categories: tuple[tuple[str, float], ...] = ()
    """Words with probabilities, best first; empty if nobody weighed them."""
    support: Support | None = None
    clues: tuple[tuple[str, float], ...] = ()
    """What speaks for the best word, by name."""


def weigh_words(members: Sequence[Lifted], detections: Sequence[Detection]) -> tuple[tuple[str, float], ...]:
    """Words that boxes of a thing were given, with their shares of the evidence: per frame the best score, summed.

    The first is the best: of the kind with most evidence the word that was said most. The others follow by evidence.

    Args:
        members: The thing's detections in the world, at least one.
        detections: All detections; `Lifted.row` points into them.
    """
    best: dict[tuple[int, str], float] = {}
    for one in members:
        said = detections[one.row]
        for word, score in ((said.label, said.score), *said.also):
            best[one.frame, word] = max(score, best.get((one.frame, word), 0.0))
    evidence: dict[str, float] = defaultdict(float)
    kinds: dict[str, float] = defaultdict(float)
    for (_, word), score in best.items():
        evidence[word] += score
        kinds[head_of(word)] += score
    kind = min(kinds, key=lambda one: (-kinds[one], one))
    order = sorted(evidence, key=lambda word: (-evidence[word], word))
    first = next(word for word in order if head_of(word) == kind)
    least = _LEAST_TOLD * sum(evidence.values())
    told = [first, *(word for word in order if word != first and evidence[word] >= least)]
    whole = sum(evidence[word] for word in told)
    return tuple((word, evidence[word] / whole) for word in told)
