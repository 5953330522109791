"""What counts as a value, when two agree, what a program sees, and what is rewritten before it runs."""

from __future__ import annotations

import numpy as np
import pytest

from instructions.programs.asked.asking import EXAMPLE, describe_camera, describe_things, explain_metadata
from instructions.programs.asked.believing import Answerable
from instructions.programs.running.sandbox import run_program
from instructions.programs.running.values import PlainValue, ProgramError, check_value, find_refusal
from instructions.questions.core.types import Form
from instructions.questions.core.world import Value
from tests.support.cases import each_case
from tests.support.worlds.random_worlds import make_world

SCENE = [{"id": "lamp", "size": 1.5}, {"id": "sofa", "size": 2.5}]


def test_plain_values_pass_unchanged():
    for good in (True, 0, -2.5, "left", ["a", ["b"]], {"a": {"b": 1.0}}, [[[1]]]):
        assert check_value(good) == good


def test_what_is_no_plain_value_is_refused():
    itself: list[object] = []
    itself.append(itself)
    wrong = (None, float("nan"), float("-inf"), b"1", {1}, object(), {1: 2}, itself, [[[[[1]]]]], "a" * 70000, 2**2000)
    for value in (*wrong, np.float64(1.0), list(range(70000))):
        with pytest.raises(ProgramError) as caught:
            check_value(value)
        assert caught.value.reason == "value"


@each_case("empty", ["", " None", [], {}, "Unable to tell", "unknown", "invalid id", ["chair_3"], list("abcdefghijk")])
def test_what_says_nothing_is_no_answer(empty):
    assert find_refusal(empty) is not None
    assert find_refusal("the chair") is None
    assert find_refusal(0.0) is None
    assert find_refusal(False) is None


@each_case(
    ("one", "other", "form", "unit", "agrees"),
    [
        (10.0, 10.09, "number", "m", True),
        (10.0, 10.2, "number", "m", False),
        (0.10, 0.109, "number", "m", True),
        (0.10, 0.112, "number", "m", False),
        (50.0, 50.9, "number", "cm", True),
        (3.0, 3.01, "number", "", False),
        (1.0, 1.02, "number", "m3", False),
        (("a", "b"), ("b", "a"), "order", "", False),
        ("left", "left", "label", "", True),
    ],
)
def test_agreement_on_each_side_of_its_bars(one, other, form, unit, agrees):
    answerable = Answerable(form, unit, (), {}, False)
    assert answerable.agree(one, other) is agrees
    assert answerable.agree(other, one) is agrees


def test_values_are_read_by_form():
    def read(raw: PlainValue, form: Form, labels: tuple[str, ...] = (), names: tuple[str, ...] = ()) -> Value:
        return Answerable(form, "", labels, {name: name for name in names}, False).read(raw)

    assert read(["b", "a"], "things") == ("a", "b")
    assert read("Behind left", "label", ("front-left", "back-left")) == "back-left"
    assert read("Yes.", "yes_no") is True
    assert read("THE LAMP", "thing", names=("the lamp",)) == "the lamp"
    doubled: PlainValue = ["a", "a"]
    refused: list[tuple[PlainValue, Form]] = [("2.5", "number"), (True, "number"), (1, "yes_no"), (doubled, "things")]
    for raw, form in refused:
        with pytest.raises(ProgramError):
            read(raw, form)


REWRITTEN = {
    "import os\nimport math\ndef func(m):\n    return len(m)": None,
    "import random, math\ndef func(m):\n    return math.floor(m[0]['size'])": None,
    "import functools, math\ndef func(m):\n    return math.floor(m[0]['size'])": 1,
    "def func(m):\n    return next(o['id'] for o in m if o['size'] > 2)": "sofa",
    "def func(m):\n    return next((o['id'] for o in m if o['size'] > 9), 'nothing')": "nothing",
    "def g(m):\n    for o in m:\n        yield o['size']\ndef func(m):\n    return sum(g(m))": 4.0,
    "def g(m):\n    for o in m:\n        if o['id'] == 'sofa':\n            return\n        yield o['size']\n"
    "def func(m):\n    return [x for x in g(m)]": [1.5],
    "import numpy as np\ndef func(m):\n    a = np.array([3.0, 4.0]) - np.array([0, 0])\n"
    "    return float(np.linalg.norm(a)) + len(m)": 7.0,
    "from numpy.linalg import norm\ndef func(m):\n    return norm([3, 4]) * len(m)": 10.0,
    "import numpy as np\ndef func(m):\n    return np.degrees(np.arctan2(1.0, 1.0)) + 0 * len(m)": 45.0,
    "import numpy as np\ndef func(m):\n    return np.cross([1, 0, 0], [0, 1, 0]).tolist() + [len(m)]": [0, 0, 1, 2],
    "import numpy as np\ndef func(m):\n    a = np.array([o['size'] for o in m])\n"
    "    return [(a == 1.5).tolist(), (a != 1.5).tolist(), (a < 2).tolist(), (2 <= a).tolist(), (a > 9).any(),"
    " 1.5 in a]": [
        [True, False],
        [False, True],
        [True, False],
        [False, True],
        False,
        True,
    ],
    "def func(m):\n    return [round(2.675, 2), round(m[0]['size']), round(1250.0, -2), round(2.5, None)]": [
        2.67,
        2,
        1200.0,
        2,
    ],
    "def func(m):\n    def round(x):\n        return len(m)\n    return round(2.675)": 2,
    "def g(m):\n    gathered_yields = 5\n    for o in m:\n        yield gathered_yields\n"
    "def func(m):\n    return list(g(m))": [5, 5],
    "def func(m):\n    try:\n        return 1 / 0\n    except Exception as _host_yields:\n        return len(m)": None,
    "class P:\n    def __init__(self, s):\n        self.s = s\ndef func(m):\n    return P(m[0]['size']).s": 1.5,
}


def test_an_array_of_many_truths_is_none():
    with pytest.raises(ProgramError, match="ambiguous"):
        run_program("import numpy as np\ndef func(m):\n    return 1 if np.array([len(m), 0]) == 0 else 2", SCENE)


@each_case("source", REWRITTEN)
def test_what_models_like_to_write_runs(source):
    wanted = REWRITTEN[source]
    if wanted is None:  # modules that are not allowed are refused even where nothing uses them
        with pytest.raises(ProgramError, match="source"):
            run_program(source, SCENE)
    else:
        assert run_program(source, SCENE) == (pytest.approx(wanted) if isinstance(wanted, float) else wanted)


def test_the_prompt_explains_every_field_of_the_data_and_no_other():
    scene = make_world(3)
    shown = describe_things(scene.things.values(), {name: name for name in scene.things})
    words = explain_metadata(with_camera=True)
    for fields in (shown[0], shown[0]["obb"], describe_camera(scene.cameras[0])):
        assert all(f"- {name}: " in words for name in fields)
    assert set(EXAMPLE) == set(shown[0])
    assert EXAMPLE["obb"]["volume"] == pytest.approx(np.prod(EXAMPLE["obb"]["sizes"]), rel=1e-3)


def test_the_camera_is_right_handed_and_rounded():
    camera = describe_camera(make_world(4).cameras[0])
    assert np.cross(camera["right"], camera["forward"]) == pytest.approx(camera["up"], abs=1e-5)
    assert camera["up"] == pytest.approx([0, 0, 1])
