"""A model that asks and programs by a script: rightly, or with a fault that a test wants."""

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field

from pydantic import BaseModel

from instructions.language.model import Message, Reply

START = """
import math
def func(metadata, camera):
    things = {one["id"]: one for one in metadata}
    names = NAMES
    c = [things[name]["obb"]["center"] if name in things else None for name in names]
"""
EXTENT = """
    def up(one):
        box = one["obb"]
        return sum(abs(box["rotation"][2][i]) * box["half_extents"][i] for i in range(3))
"""
FACING = """
    f = [c[1][0] - c[0][0], c[1][1] - c[0][1]]
    t = [c[2][0] - c[0][0], c[2][1] - c[0][1]]
    side = "right" if t[0] * f[1] - t[1] * f[0] > 0 else "left"
"""


@dataclass(frozen=True)
class Skill:
    """A question the script can ask, and the lines that answer it."""

    category: str
    count: int
    text: str
    lines: str


SKILLS = (
    Skill("size_estimation", 1, "How tall is {0}?", EXTENT + "    return 2 * up(things[names[0]])"),
    Skill("volume_estimation", 1, "What is the volume of {0}?", "    return things[names[0]]['obb']['volume']"),
    Skill(
        "absolute_distance",
        2,
        "What is the distance from center to center between {0} and {1}, in meters?",
        "    return math.dist(c[0], c[1])",
    ),
    Skill(
        "high_and_low",
        2,
        "Whose center is higher, that of {0} or that of {1}?",
        "    return max(names, key=lambda name: things[name]['obb']['center'][2])",
    ),
    Skill(
        "above",
        2,
        "Is {0} completely above {1}?",
        EXTENT + "    return c[0][2] - up(things[names[0]]) >= c[1][2] + up(things[names[1]])",
    ),
    Skill(
        "relative_distance",
        3,
        "Which is nearest to {0}: {1} or {2}?",
        "    return min(names[1:], key=lambda name: math.dist(c[0], things[name]['obb']['center']))",
    ),
    Skill(
        "facing_simple",
        3,
        "Standing at {0} and facing {1}, is {2} to the left or to the right?",
        FACING + "    return side",
    ),
    Skill(
        "temporal_sequence",
        2,
        "Which comes into view first, {0} or {1}?",
        "    return min(names, key=lambda name: things[name]['appear'][0])",
    ),
)
Fault = Callable[[str, int], str]
"""The right program and the seed to what is replied instead."""


@dataclass
class ScriptedProgrammer:
    """Answers both kinds of request; remembers what it was shown."""

    spoil: Fault = lambda program, seed: program
    asking: str | None = None
    """Replied to every request for questions, instead of questions."""
    asked: list[str] = field(default_factory=list)

    def ask(
        self, messages: tuple[Message, ...], schema: type[BaseModel], *, temperature: float | None, seed: int
    ) -> Reply:
        shown = messages[1].content
        self.asked.append("\n".join(message.content for message in messages))
        told = json.loads(shown)
        if "uses" in schema.model_fields:
            content = json.dumps({"question": "And what of both?", "answer": "yes", "uses": [1, 2]})  # of neither part
        elif not {"questions", "program"} & schema.model_fields.keys():
            content = "nothing to say"
        elif "questions" in schema.model_fields:
            content = self.asking or json.dumps({"questions": _questions(told)})
        else:
            content = json.dumps({"program": self.spoil(_program(told), seed)})
        return Reply(content, None, "stop", 100, 50, "scripted")


def _questions(told: dict[str, object]) -> list[dict[str, object]]:
    things = told["things"]
    assert isinstance(things, dict)
    out = []
    for skill in SKILLS:
        for names in itertools.islice(itertools.permutations(things, skill.count), 0, 60, 6):
            out.append(
                {
                    "instruction": skill.text.format(*names),
                    "objects": list(names),
                    "objects_category": [things[name] for name in names],
                    "category": skill.category,
                }
            )
    return out[:80]


def _program(told: dict[str, object]) -> str:
    names, question = told["objects"], str(told["question"])
    assert isinstance(names, list)
    for skill in SKILLS:
        if len(names) == skill.count and question.startswith(skill.text.format(*names).rstrip("?")):
            return START.replace("NAMES", repr(names)).strip() + "\n" + skill.lines
    raise AssertionError(f"no script for {question!r}")
