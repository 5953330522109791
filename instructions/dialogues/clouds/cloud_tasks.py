"""Tasks of a cloud with their truths: boxes, counts, supports, sizes and rooms of the things of a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from types import MappingProxyType

from instructions.asking.draws import Draw
from instructions.dialogues.records import Cloud, CloudBox, Evidence, Relation, TaskTruth, count_things
from instructions.dialogues.relations import find_scene_relations, pair_of
from instructions.dialogues.tasks.tasks import Draft
from instructions.facts.between import distance
from instructions.facts.sizes import height, length
from instructions.facts.things import Thing
from instructions.facts.verdict import is_first
from instructions.wording.colors import COLORLESS, OPTIONS, base_color, may_be_one_color
from instructions.wording.english import head_noun, is_plural, join_list, number_of, pluralize, with_article

MOST_BOXES = 4
"""Boxes of six numbers of one answer: more do not fit a loader's 400 tokens."""
WRONG_OPTIONS = 5
_SIZE_RATIO = 1.4
_LEAST_AWAY_M = 1.5
"""Two things nearer to each other have no distance that a person would ask for."""
_MOST_ERROR = 0.15
"""Share of a distance that its error may be to tell it as people round it."""
HOUSEHOLD = (
    "a bathtub", "a bed", "a bench", "a bicycle", "a cabinet", "a chair", "a clock", "a lamp", "a microwave",
    "a mirror", "an oven", "a piano", "a picture", "a plant", "a refrigerator", "a rug", "a screen", "a shelf",
    "a sink", "a sofa", "a suitcase", "a table", "a toilet", "a washing machine", "the floor",
)  # fmt: skip
_ROOMS = ("kitchen", "bedroom", "bathroom", "living room", "hall", "garage", "attic", "cellar")


@dataclass(frozen=True, eq=False)
class CloudThings:
    """A cloud as tasks see it."""

    cloud: Cloud
    known: Mapping[str, Thing]
    """Things of the model that are surely named."""
    unsure_kinds: frozenset[str]
    """Kinds of which the model may hold more than it knows."""
    rooms: tuple[str, ...]
    """Types of rooms that some frame of it surely shows."""
    absent: tuple[str, ...] = ()
    """Household kinds that were looked for and surely are not there."""
    room: str | None = None
    """Type of the room that the whole cloud surely shows."""

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Of the boxes, by object."""
        return {box.object: box.name for box in self.cloud.boxes}

    @cached_property
    def of_kind(self) -> Mapping[str, tuple[CloudBox, ...]]:
        """Boxes by name, names in alphabetical order."""
        out: dict[str, list[CloudBox]] = {}
        for box in self.cloud.boxes:
            if box.object in self.known:
                out.setdefault(box.name, []).append(box)
        return {name: tuple(out[name]) for name in sorted(out)}

    @cached_property
    def alone(self) -> tuple[CloudBox, ...]:
        """Things whose name fits nothing else of the model."""
        kinds = self.of_kind.items()
        return tuple(boxes[0] for name, boxes in kinds if len(boxes) == 1 and name not in self.unsure_kinds)

    def relations(self, name: str) -> tuple[Relation, ...]:
        """What a thing is on, and next to, in the same room."""
        return self._relations.get(name, ())

    @cached_property
    def _relations(self) -> Mapping[str, tuple[Relation, ...]]:
        found: dict[str, list[Relation]] = {}
        for name, other in permutations(self.known, 2):
            if self.are_together(name, other):
                relations = find_scene_relations(pair_of(self.known[name], self.known[other]))
                found.setdefault(name, []).extend(relations)
        return {name: tuple(relations) for name, relations in found.items()}

    def are_together(self, name: str, other: str) -> bool:
        """Whether two things are on one side of a wall: in one room where rooms are known, and in one frame."""
        a, b = self.known[name].thing, self.known[other].thing
        if a.room is not None and b.room is not None and a.room != b.room:
            return False
        return not a.frames or not b.frames or not set(a.frames).isdisjoint(b.frames)

    def measure_apart(self, a: CloudBox, b: CloudBox) -> tuple[float, float] | None:
        """Metres between two middles and their error; None for what is near, or not known well enough to be told."""
        one, other = self.known[a.object], self.known[b.object]
        away = distance(one.body, other.body)
        error = one.sigma + other.sigma + self.cloud.scale_sigma * away
        return (away, error) if away >= _LEAST_AWAY_M and error <= _MOST_ERROR * away else None

    def tell_absent(self, kind: str) -> Evidence:
        """That a kind of `absent` is not there, for a row."""
        return Evidence(f"no {kind}", f"{kind} was looked for and is in no frame")


def find_cloud_tasks(things: CloudThings, draw: Draw) -> list[Draft]:
    """Every task that may be asked about a cloud."""
    return [*_classify(things), *_detect(things), *_ground(things), *_count(things, draw), *_support(things, draw),
            *_sizes(things), *_nearest(things), *_colors(things), *_place(things)]  # fmt: skip


def _classify(things: CloudThings) -> Iterator[Draft]:
    room = things.room
    if room is not None:
        evidence, slots = (Evidence(f"room {room}", room),), {"C": room, "aC": with_article(room)}
        yield Draft("classify_cloud", room, TaskTruth(label=room), evidence, slots, names_class=room)


def _detect(things: CloudThings) -> Iterator[Draft]:
    for name, boxes in things.of_kind.items():
        if len(boxes) <= MOST_BOXES and name not in things.unsure_kinds:
            truth = TaskTruth(label=name, cloud_objects=boxes)
            evidence = tuple(_box_evidence(things, box) for box in boxes)
            yield Draft("detect_cloud", name, truth, evidence, {"kinds": pluralize(name)}, names_class=name)


def _ground(things: CloudThings) -> Iterator[Draft]:
    for box in things.alone:
        truth, evidence = TaskTruth(label=box.name, cloud_objects=(box,)), (_box_evidence(things, box),)
        yield Draft("ground_cloud", box.object, truth, evidence, {"P": f"the {box.name}"}, names_class=box.name)


def _box_evidence(things: CloudThings, box: CloudBox) -> Evidence:
    words = f"{box.name} with sides {join_list([f'{side:.2f}' for side in box.lengths])} m"
    return Evidence(f"box {box.object}", words, (box.object,), max(box.lengths), "m", things.known[box.object].sigma)


def ask_options(
    key: str, question: str, right: str, wrong: Sequence[str], evidence: Evidence, name: str,
    proposals: Mapping[str, Evidence] = MappingProxyType({}),
) -> Iterator[Draft]:  # fmt: skip
    """A question with six options, if five of them are proved wrong.

    Args:
        key: What it is about.
        question: Without the options; `{is}` agrees with `name`.
        right: The right option.
        wrong: Others, the ones to take first.
        evidence: What it rests on.
        name: The class that it is about.
        proposals: Who proposed a wrong option, and why it is wrong; of the options that are used.
    """
    options = [option for option in dict.fromkeys(wrong) if option.lower() != right.lower()][:WRONG_OPTIONS]
    told = tuple(proposals[option] for option in options if option in proposals)
    if len(options) == WRONG_OPTIONS:
        asked = question.replace("{is}", "are" if is_plural(name) else "is")
        yield Draft("vqa_cloud", key, TaskTruth(label=right), (evidence, *told), {"Q": asked}, wrong=tuple(options),
                    right=right, names_class=name)  # fmt: skip


def _count(things: CloudThings, draw: Draw) -> Iterator[Draft]:
    for name, boxes in things.of_kind.items():
        if name in things.unsure_kinds or len(boxes) > 12 or is_plural(name):
            continue
        near = [
            value for value in range(len(boxes) + WRONG_OPTIONS + 1) if 0 < abs(value - len(boxes)) <= WRONG_OPTIONS
        ]
        wrong = [number_of(value, name) for value in draw.shuffle(near)]
        evidence = count_things(name, [box.object for box in boxes])
        question = f"How many {pluralize(name)} are in this scene?"
        yield from ask_options(evidence.name, question, evidence.words, wrong, evidence, name)


def _support(things: CloudThings, draw: Draw) -> Iterator[Draft]:
    names = {box.object: box.name for box in things.alone}
    for box in things.alone:
        found = [
            relation for relation in things.relations(box.object) if relation.predicate == "on" and relation.b in names
        ]
        if len(found) != 1:
            continue
        (one,), below = found, names[found[0].b]
        words = f"{box.name} on {below}"
        evidence = Evidence(f"{one.a} on {one.b}", words, (one.a, one.b), one.value, "m", 0.0, one.margin)
        right = with_article(below)
        wrong = draw.shuffle(HOUSEHOLD)
        wrong = [option for option in wrong if option not in (right, with_article(box.name))]
        question = f"What {'do' if is_plural(box.name) else 'does'} the {box.name} stand on?"
        yield from ask_options(f"support {box.object}", question, right, wrong, evidence, box.name)


def _sizes(things: CloudThings) -> Iterator[Draft]:
    for box in things.alone:
        one = things.known[box.object]
        for word, question, value in (("height", "high", height(one.body)), ("length", "long", length(one.body))):
            sigma = (one.sigma**2 + (things.cloud.scale_sigma * value) ** 2) ** 0.5
            if value < 0.3 or sigma > 0.1 * value:
                continue
            evidence = Evidence(f"{word} {box.object}", f"{value:.2f} m", (box.object,), value, "m", sigma)
            wrong = [f"about {other:.1f} m" for other in _list_other_sizes(value)]
            text, right = f"About how {question} {{is}} the {box.name}?", f"about {round(value, 1):.1f} m"
            yield from ask_options(evidence.name, text, right, wrong, evidence, box.name)


def _list_other_sizes(length_m: float) -> list[float]:
    """Lengths that differ from another one by so large a ratio, and from each other, rounded to tenths."""
    steps = (_SIZE_RATIO ** (sign * step) for step in range(1, WRONG_OPTIONS + 1) for sign in (1, -1))
    return list(dict.fromkeys(size for ratio in steps if (size := round(length_m * ratio, 1)) >= 0.1))


def _nearest(things: CloudThings) -> Iterator[Draft]:
    """Which of six things is nearest to another: by the distance of the centres, decided against every wrong one."""
    for box in things.alone:
        one = things.known[box.object]
        order = sorted(
            (distance(one.body, things.known[other.object].body), other.object, other)
            for other in things.alone if other.object != box.object
        )  # fmt: skip
        if len(order) <= WRONG_OPTIONS:
            continue
        near, _, nearest = order[0]
        sigma = max(one.sigma, things.known[nearest.object].sigma)
        wrong = [f"the {other.name}" for away, _, other in order[1:] if is_first(near, away, sigma, 1.0).state]
        text = f"Which of these has its middle nearest to the middle of the {box.name}?"
        name, words, objects = f"nearest {box.object}", f"{nearest.name} at {near:.2f} m", (box.object, nearest.object)
        evidence = Evidence(name, words, objects, near, "m", sigma)
        yield from ask_options(name, text, f"the {nearest.name}", wrong, evidence, box.name)


def _colors(things: CloudThings) -> Iterator[Draft]:
    for box in things.alone:
        base = base_color(things.known[box.object].thing.color or "")
        if base in ("", "black", "gray") or head_noun(box.name) in COLORLESS:
            continue  # dark is what shade makes of any color
        wrong = [color for color in OPTIONS if not may_be_one_color(base, color)]
        evidence = Evidence(f"color {box.object}", base, (box.object,))
        yield from ask_options(evidence.name, f"What color {{is}} the {box.name}?", base, wrong, evidence, box.name)


def _place(things: CloudThings) -> Iterator[Draft]:
    rooms = Counter(things.rooms)
    for box in things.alone if len(things.rooms) > 1 else ():
        room = things.known[box.object].thing.room
        if room is None or rooms[room] != 1:
            continue
        wrong = [f"in the {room_type}" for room_type in dict.fromkeys((*things.rooms, *_ROOMS)) if room_type != room]
        evidence = Evidence(f"room {box.object}", room, (box.object,))
        question = f"In which room {{is}} the {box.name}?"
        yield from ask_options(evidence.name, question, f"in the {room}", wrong, evidence, box.name)
