"""Programs as released ones are written, over SPRITE's fields: those that work answer, the others fail cleanly.

In the ways that were measured on released worked examples: some that run, and some with their faults
(syntax, rounding a list, numpy that nobody imported, bare names, a field that is not there).
"""

from __future__ import annotations

import math
from typing import Any

import pytest

from instructions.programs.running.sandbox import run_program
from instructions.programs.running.values import ProgramError
from instructions.questions.core.world import Given, ProgramScene, ProgramThing
from instructions.questions.sets.judging import analyse
from instructions.records import Obb
from recon.conventions import sprite_from_zup
from tests.support.cases import each_case
from tests.unit.instructions.programs.test_references import camera

UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
# Ours: name, category, center, sizes along x, y, z, frames.
ROOM = (
    ("sofa", "sofa", (1.0, 2.0, 0.4), (2.0, 0.9, 0.8), (0, 1, 2)),
    ("floor_lamp", "lamp", (4.0, 2.5, 0.8), (0.3, 0.3, 1.6), (2, 3)),
    ("desk lamp", "lamp", (4.5, 5.0, 0.9), (0.2, 0.2, 0.4), (5,)),
    ("desk", "desk", (4.5, 5.0, 0.35), (1.4, 0.7, 0.7), (4, 5)),
    ("Picture", "picture", (0.5, 6.0, 1.6), (0.8, 0.05, 0.6), (6, 7)),
)


def make_thing(name: str, category: str, center: Any, sizes: Any, appear: Any) -> dict[str, Any]:
    """As SPRITE's files have it."""
    x, y, z = sprite_from_zup(center).tolist()
    box = {"center": [x, y, z], "sizes": sprite_from_zup(sizes).tolist(), "rotation": [0.0, 90.0, 0.0]}
    half = [side / 2 for side in box["sizes"]]
    box |= {"half_extents": half, "position": [x, 0.0, z], "volume": math.prod(sizes)}
    return {"object_name": f"{category}|2|1", "id": name, "category": category, "appear": list(appear), "obb": box}


METADATA = [make_thing(*one) for one in ROOM]
PICK = "    found = {}\n    for item in metadata:\n        found[item['id']] = item\n"
FACE = (
    "def func(metadata):\n"
    "    here = next(item for item in metadata if item['id'] == 'sofa')['obb']['center']\n"
    "    there = next(item for item in metadata if item['id'] == 'desk')['obb']['center']\n"
    "    third = next(item for item in metadata if item['id'] == 'Picture')['obb']['center']\n"
    "    ahead = (there[0] - here[0], there[2] - here[2])\n"
    "    away = (third[0] - here[0], third[2] - here[2])\n"
    "    size = (ahead[0]**2 + ahead[1]**2)**0.5\n"
    "    if size == 0:\n        return 'unknown'\n"
    "    front = away[0]*ahead[0]/size + away[1]*ahead[1]/size\n"
    "    right = away[0]*ahead[1]/size - away[1]*ahead[0]/size\n"
)
WORKING = {
    "in frame, a set made a list": (
        "def func(metadata):\n    mine = None\n    for obj in metadata:\n        if obj['id'] == 'sofa':\n"
        "            mine = obj['appear']\n            break\n    if mine is None:\n        return 'no sofa'\n"
        "    others = set()\n    for obj in metadata:\n        if obj['id'] != 'sofa':\n"
        "            for frame in obj['appear']:\n                if frame in mine:\n"
        "                    others.add(obj['id'])\n                    break\n"
        '    return f"seen with it: {sorted(others)}"\n',
        "seen with it: ['floor_lamp']",
    ),
    "volumes, with numpy that nobody uses": (
        "import numpy as np\ndef func(metadata):\n"
        "    sofa = [o['obb']['volume'] for o in metadata if o['id'] == 'sofa']\n"
        "    desk = [o['obb']['volume'] for o in metadata if o['id'] == 'desk']\n"
        "    if sofa and desk:\n        return 'desk' if min(desk) < min(sofa) else 'sofa'\n    return ''\n",
        "desk",
    ),
    "nearby, with an import inside and a set joined": (
        "def func(metadata):\n\n    import math\n\n    def away(p, q):\n"
        "        return math.sqrt(sum((a - b) ** 2 for a, b in zip(p, q)))\n\n"
        "    sofa = [obj for obj in metadata if obj['id'] == 'sofa'][0]\n    near = []\n    for obj in metadata:\n"
        "        if obj['id'] != 'sofa':\n            if away(sofa['obb']['center'], obj['obb']['center']) <= 4.3:\n"
        "                near.append(obj)\n    names = {obj['id'] for obj in near}\n    return ', '.join(names)\n",
        {"floor_lamp", "Picture"},
    ),
    "nearest, with lines that are never reached": (
        "def func(metadata):\n" + PICK + "    a = found['desk']['obb']['center']\n    best = None\n"
        "    for name in ('sofa', 'floor_lamp'):\n        c = found[name]['obb']['center']\n"
        "        d = ((a[0] - c[0]) ** 2 + \n             (a[1] - c[1]) ** 2 + \n"
        "             (a[2] - c[2]) ** 2) ** 0.5\n"
        "        if best is None or d < best[0]:\n            best = (d, name)\n"
        "    return best[1]\n    return 'none'\n",
        "floor_lamp",
    ),
    "facing, by next of a generator": (
        FACE + "    if front > 0:\n        return 'front-right' if right > 0 else 'front-left'\n    else:\n"
        "        return 'back-right' if right > 0 else 'back-left'\n",
        "front-left",
    ),
}
FAILING = {
    "syntax": ("def func(metadata):\n    names = [one['id'] for one in metadata]\n    return ', '.join(names", "parse"),
    "rounds a list": (
        "def func(metadata):\n    sizes = [o['obb']['sizes'] for o in metadata if o['id'] == 'desk']\n"
        "    return 'longest: ' + str(round(max(sizes), 2))\n",
        "crash",
    ),
    "numpy that nobody imported": (
        "def func(metadata):\n    a = np.array(metadata[0]['obb']['center'])\n    return f'{np.linalg.norm(a):.2f}'\n",
        "source",
    ),
    "bare names": (FACE + "    if right > 0:\n        return right\n    else:\n        return left\n", "source"),
    "a field that is not there": ("def func(metadata):\n    return str(metadata[0]['obb']['size'][1])\n", "crash"),
}


@each_case("name", [*WORKING, *FAILING])
def test_what_works_elsewhere_works_here_and_what_fails_fails_cleanly(name: str):
    if name in WORKING:
        source, want = WORKING[name]
        value = run_program(source, METADATA)
        assert (set(str(value).split(", ")) if isinstance(want, set) else value) == want
        return
    source, reason = FAILING[name]
    with pytest.raises(ProgramError) as caught:
        run_program(source, METADATA)
    assert caught.value.reason == reason
    assert "\n" not in str(caught.value)


CAMERA = (
    "def func(metadata, camera_position):\n" + PICK + "    a = found['desk']['obb']['center']\n"
    "    b = found['sofa']['obb']['center']\n"
    "    front = 'front' if a[2] - camera_position[2] > b[2] - camera_position[2] else 'back'\n"
    "    left = 'left' if a[0] - camera_position[0] < b[0] - camera_position[0] else 'right'\n"
    "    return f'{front}-{left}'\n"
)


def test_a_program_that_ignores_where_the_camera_looks_runs_and_is_wrong():
    """The released example for directions from the camera: the same answer whichever way the camera is turned."""
    said = run_program(CAMERA, METADATA, [2.5, 0.9, 0.5])
    things = {name: ProgramThing(name, kind, Obb(c, (s[0] / 2, s[1] / 2, s[2] / 2), UPRIGHT), f)
              for name, kind, c, s, f in ROOM}  # fmt: skip
    answers = set()
    for toward in ((0, 1, 0), (1, 0, 0), (0, -1, 0), (-1, 0, 0)):
        scene = ProgramScene(things, (camera(1, (2.5, 0.5, 0.9), toward),))
        answers.add(analyse("camera_direction_complex", ("desk", "sofa"), scene, Given()))
    assert len(answers) == 4
    assert said in answers
