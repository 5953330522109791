"""Programs that are wrong in one way each: the reference or a law catches them. The right ones pass all laws."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from instructions.programs.asked.asking import describe_camera, describe_things
from instructions.programs.asked.believing import Answerable, Belief, Program, World, believe, check_laws
from instructions.questions.core.world import Given, ProgramScene
from instructions.questions.sets.judging import SET_TYPES
from tests.support.cases import each_case
from tests.support.worlds.random_worlds import find_clear, make_world

HEAD = """import math
def func(metadata, camera):
    names = NAMES
    T = {one["id"]: one for one in metadata}
    C = [T[name]["obb"]["center"] for name in names]
"""


@dataclass(frozen=True)
class Task:
    """A type, the right lines, and wrong ones by what is wrong with them."""

    kind: str
    given: Given
    right: str
    wrong: dict[str, str]


TASKS = (
    Task(
        "absolute_distance",
        Given(sense="center"),
        "return math.dist(C[0], C[1])",
        {
            "x only": "return abs(C[0][0] - C[1][0])",
            "y only": "return abs(C[0][1] - C[1][1])",
            "up axis y": "return math.dist([C[0][0], C[0][2]], [C[1][0], C[1][2]])",
            "no root": "return sum((a - b) ** 2 for a, b in zip(C[0], C[1]))",
            "along the streets": "return sum(abs(a - b) for a, b in zip(C[0], C[1]))",
            "centimetres": "return 100 * math.dist(C[0], C[1])",
            "feet": "return 3.281 * math.dist(C[0], C[1])",
            "constant": "return 2.5",
            "rounded to metres": "return round(math.dist(C[0], C[1]))",
            "one more": "return 1 + math.dist(C[0], C[1])",
            "from the origin": "return math.hypot(*C[0])",
            "first two of the list": "return math.dist(metadata[0]['obb']['center'], metadata[1]['obb']['center'])",
        },
    ),
    Task(
        "size_estimation",
        Given(side="height"),
        "b = T[names[0]]['obb']\n    return sum(2 * abs(b['rotation'][2][i]) * b['half_extents'][i] for i in range(3))",
        {
            "y for z": "return T[names[0]]['obb']['sizes'][1]",
            "half": "return T[names[0]]['obb']['half_extents'][2]",
            "where it hangs": "return C[0][2]",
            "text": "return str(T[names[0]]['obb']['sizes'][2]) + ' m'",
            "largest of all": "return max(one['obb']['sizes'][2] for one in metadata)",
        },
    ),
    Task(
        "volume_estimation",
        Given(),
        "s = T[names[0]]['obb']['sizes']\n    return s[0] * s[1] * s[2]",
        {
            "of half extents": "h = T[names[0]]['obb']['half_extents']\n    return h[0] * h[1] * h[2]",
            "sum for product": "return sum(T[names[0]]['obb']['sizes'])",
            "area": "s = T[names[0]]['obb']['sizes']\n    return s[0] * s[1]",
            "litres": "return 1000 * T[names[0]]['obb']['volume']",
        },
    ),
    Task(
        "high_and_low",
        Given(word="higher"),
        "return max(names, key=lambda n: T[n]['obb']['center'][2])",
        {
            "min for max": "return min(names, key=lambda n: T[n]['obb']['center'][2])",
            "y up": "return max(names, key=lambda n: T[n]['obb']['center'][1])",
            "first in the list": "return [one['id'] for one in metadata if one['id'] in names][0]",
            "last in the list": "return [one['id'] for one in metadata if one['id'] in names][-1]",
        },
    ),
    Task(
        "facing_simple",
        Given(word="left_right"),
        "f = [C[1][0] - C[0][0], C[1][1] - C[0][1]]\n    t = [C[2][0] - C[0][0], C[2][1] - C[0][1]]\n"
        "    return 'right' if t[0] * f[1] - t[1] * f[0] > 0 else 'left'",
        {
            "left-handed": "f = [C[1][0] - C[0][0], C[1][1] - C[0][1]]\n"
            "    t = [C[2][0] - C[0][0], C[2][1] - C[0][1]]\n"
            "    return 'left' if t[0] * f[1] - t[1] * f[0] > 0 else 'right'",
            "world x": "return 'right' if C[2][0] > C[0][0] else 'left'",
            "always left": "return 'left' if C else ''",
            "y up facing": "f = [C[1][0] - C[0][0], C[1][2] - C[0][2]]\n"
            "    t = [C[2][0] - C[0][0], C[2][2] - C[0][2]]\n"
            "    return 'right' if t[0] * f[1] - t[1] * f[0] > 0 else 'left'",
        },
    ),
    Task(
        "relative_distance",
        Given(word="nearest"),
        "return min(names[1:], key=lambda n: math.dist(T[n]['obb']['center'], C[0]))",
        {
            "max for min": "return max(names[1:], key=lambda n: math.dist(T[n]['obb']['center'], C[0]))",
            "itself": "return min(names, key=lambda n: math.dist(T[n]['obb']['center'], C[0]))",
            "nearest of all": "return min([n for n in T if n != names[0]], key=lambda n: "
            "math.dist(T[n]['obb']['center'], C[0]))",
        },
    ),
    Task(
        "counting",
        Given(category="lamp"),
        "return sum(1 for one in metadata if one['category'] == 'lamp')",
        {
            "off by one": "return 1 + sum(1 for one in metadata if one['category'] == 'lamp')",
            "all things": "return len(metadata)",
        },
    ),
    Task(
        "temporal_sequence",
        Given(word="first"),
        "return min(names, key=lambda n: T[n]['appear'][0])",
        {"last for first": "return max(names, key=lambda n: T[n]['appear'][0])"},
    ),
    Task(
        "camera_direction_simple",
        Given(word="left_right"),
        "r, p = camera['right'], camera['position']\n"
        "    s = [sum((c[i] - p[i]) * r[i] for i in range(3)) for c in C]\n"
        "    return 'right' if s[0] > s[1] else 'left'",
        {
            "mirrored camera": "r, p = camera['right'], camera['position']\n"
            "    s = [sum((c[i] - p[i]) * r[i] for i in range(3)) for c in C]\n"
            "    return 'left' if s[0] > s[1] else 'right'",
            "where the camera looks is ignored": "return 'right' if C[0][0] > C[1][0] else 'left'",
        },
    ),
)
WORLDS = 12


def believe_one(scene: ProgramScene, task: Task, lines: str, seed: int) -> Belief:
    things, truth = find_clear(scene, task.kind, task.given, seed)
    source = HEAD.replace("NAMES", repr(list(things))) + "    " + lines
    names = {one: one for one in scene.things}
    answerable = Answerable.of(SET_TYPES[task.kind], task.given, {one: one for one in things})
    metadata = describe_things(scene.things.values(), names)
    camera = describe_camera(scene.cameras[0])
    assert isinstance(camera, dict)
    world = World(metadata, camera, answerable)
    return believe([Program(source, "planted", "none").run(world)], world, truth)


@each_case("task", TASKS, ids=lambda task: task.kind)
def test_right_programs_are_believed_in_every_world(task):
    for seed in range(WORLDS):
        belief = believe_one(make_world(seed), task, task.right, seed)
        assert belief.rejected_because is None, belief.rejection
        assert {law.law for law in belief.laws} >= {"shuffled", "turned", "mirrored", "scaled"}


def test_planted_programs_are_caught():
    missed: Counter[str] = Counter()
    total = 0
    for task in TASKS:
        for name, lines in task.wrong.items():
            for seed in range(WORLDS):
                total += 1
                missed[f"{task.kind}: {name}"] += (
                    believe_one(make_world(seed), task, lines, seed).rejected_because is None
                )
    assert sum(len(task.wrong) for task in TASKS) >= 20
    assert 1 - missed.total() / total >= 0.95, +missed


LAWLESS = {
    "constant": ("turned", "scaled"),
    "x only": ("turned",),
    "left-handed": (),
    "world x": ("turned", "turned further", "mirrored"),
    "always left": ("mirrored",),
    "first in the list": ("shuffled",),
    "largest of all": ("far things added",),
    "y up": ("turned", "turned further"),
}


@each_case("name", [name for name, laws in LAWLESS.items() if laws])
def test_laws_alone_catch_what_they_are_for(name):
    """Without any reference: in some world the law that is meant breaks."""
    task = next(one for one in TASKS if name in one.wrong)
    broken: set[str] = set()
    for seed in range(WORLDS):
        scene = make_world(seed)
        things, _ = find_clear(scene, task.kind, task.given, seed)
        source = HEAD.replace("NAMES", repr(list(things))) + "    " + task.wrong[name]
        metadata = describe_things(scene.things.values(), {one: one for one in scene.things})
        answerable = Answerable.of(SET_TYPES[task.kind], task.given, {one: one for one in things})
        world = World(metadata, None, answerable)
        broken |= {
            law.law for law in check_laws([Program(source, "planted", "none").run(world)], world) if not law.holds
        }
    assert broken & set(LAWLESS[name])
