"""Claims about a view of boxes at known places, on both sides of each bar."""

from dataclasses import replace

import pytest

from instructions.truth.view_claims import Verdict
from instructions.truth.views import check_view_answer, check_view_text, has_false, measure_checked_share, read_view
from tests.support.cases import each_case
from tests.support.worlds.made_view import thing, view

SOFA = thing("s", (3.0, 1.5, 0.4), (0.4, 0.9, 0.4), category="sofa", color="red")
CHAIR = thing("c", (2.0, -0.8, 0.45), (0.25, 0.25, 0.45), category="chair", color="grey")
TABLE = thing("t", (3.0, -0.2, 0.35), (0.4, 0.5, 0.35), category="table", color="brown")
VASE = thing("v", (3.0, -0.2, 0.8), (0.1, 0.1, 0.1), category="vase", color="blue")
ROOM = view(
    SOFA,
    CHAIR,
    TABLE,
    VASE,
    numbered=True,
    room="living room",
    room_probability=0.9,
    looked_for=frozenset({"sofa", "chair", "table", "vase", "piano"}),
)


def state(text: str, kind: str, seen=ROOM) -> str:
    found = [one.state for one in check_view_text(text, seen) if one.claim.kind == kind]
    assert len(found) == 1, f"{text}: {check_view_text(text, seen)}"
    return found[0]


@each_case(
    ("text", "kind", "expected"),
    [
        ("[0] is on the left.", "side", "true"),
        ("[0] is left of [1].", "left of", "true"),
        ("[0] stands to the right of [1].", "right of", "false"),
        ("The vase is to the left of the table.", "left of", "unknown"),  # the same place in x
        ("[1] is nearer than [2].", "nearer", "true"),
        ("[1] is farther from the camera than [2].", "farther", "false"),
        ("[1] is in front of [2].", "in front of", "true"),
        ("The chair is behind the table.", "behind", "false"),
        ("[3] stands on [2].", "on", "true"),
        ("[2] is under [3].", "under", "true"),
        ("[3] is next to [2].", "next to", "unknown"),  # it stands on it
        ("[1] is next to [0].", "next to", "false"),
        ("[0] is larger than [3].", "larger", "true"),
        ("[0] is smaller than [3].", "smaller", "false"),
        ("[1] is taller than [2].", "taller", "true"),
        ("[1] is taller than [0].", "taller", "unknown"),  # 0.90 against 0.80 m
        ("[0] is about 2.7 m away.", "distance", "true"),
        ("[0] is about 5 m away from the camera.", "distance", "false"),
        ("[0] is about 80 cm tall.", "height", "true"),
        ("[1] is about 0.8 m nearer than [2].", "step", "true"),
        ("There is one chair, and only one chair.", "count", "true"),
        ("There are two chairs here.", "count", "false"),
        ("There are no chairs.", "count", "false"),
        ("There is a harp.", "visible", "unknown"),  # nobody looked for one
        ("There is no piano.", "visible", "true"),
        ("[0] is red.", "colour", "true"),
        ("[0] is green.", "colour", "false"),
        ("[1] is white.", "colour", "unknown"),  # grey in another light
        ("[0] is a couch.", "kind", "true"),
        ("[0] is a table.", "kind", "false"),
        ("This is the living room.", "room", "true"),
        ("[7] is tall.", "region", "false"),
        ("[0] is not left of [1].", "left of", "false"),
    ],
)
def test_each_claim_is_measured(text, kind, expected):
    found = [one.state for one in check_view_text(text, ROOM) if one.claim.kind == kind]
    if kind == "count":
        assert found[-1] == expected
    else:
        assert state(text, kind) == expected


def test_lengths_are_false_without_scale_and_need_about_where_it_is_assumed():
    things = (SOFA, CHAIR, TABLE, VASE)
    assert state("[0] is about 2.7 m away.", "distance", view(*things, numbered=True, scale="relative")) == "false"
    assumed = view(*things, numbered=True, scale="assumed")
    assert state("[0] is 2.7 m away.", "distance", assumed) == "false"
    assert state("[0] is about 2.7 m away.", "distance", assumed) == "true"


@pytest.mark.parametrize(("share", "expected"), [(0.31, "true"), (0.29, "unknown"), (0.04, "false")])
def test_things_count_by_how_much_of_them_is_seen(share, expected):
    two = view(CHAIR, thing("d", (4.0, 1.0, 0.4), (0.2, 0.2, 0.4), visible=share), looked_for=frozenset({"chair"}))
    assert state("There are two chairs.", "count", two) == expected
    nobody = view(CHAIR, thing("d", (4.0, 1.0, 0.4), (0.2, 0.2, 0.4), visible=share))
    assert state("There are two chairs.", "count", nobody) == "unknown"


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("Is [0] left of [1]?", "Yes.", "true"),
        ("Is [0] left of [1]?", "No.", "false"),
        ("Which is nearer, [1] or [2]?", "[1] is nearer.", "true"),
        ("Which is nearer, [1] or [2]?", "[2] is nearer.", "false"),
        ("What is left of the green sofa?", "Nothing.", "false"),
    ],
)
def test_answers_are_read_with_their_questions(question, answer, expected):
    verdicts = check_view_answer(question, answer, ROOM)
    decided: list[Verdict] = [one for one in verdicts if one.claim.kind != "visible" and one.state != "unknown"]
    assert decided
    assert (has_false(decided) is None) == (expected == "true"), verdicts


@pytest.mark.parametrize("text", ["", "[]]]", "It could be used for reading."])
def test_texts_without_claims_have_no_verdicts(text):
    assert check_view_text(text, ROOM) == ()
    assert measure_checked_share(check_view_text(text, ROOM)) is None


def test_a_mirrored_room_turns_left_and_right():
    def mirror(one):
        (x, y, z), (a, b, c) = one.body.box.center, one.body.box.half_extents
        return thing(one.id, (x, -y, z), (a, b, c), category=one.category)

    turned = view(*(mirror(one) for one in ROOM.things), numbered=True)
    for a in range(4):
        for b in range(4):
            if a != b:
                text, other = f"[{a}] is left of [{b}].", f"[{a}] is right of [{b}]."
                assert state(text, "left of") == state(other, "right of", turned)


def test_pictures_without_poses_leave_the_room_unknown():
    flat = replace(ROOM, model=replace(ROOM.model, world_from_cam={}))
    assert state("[1] is nearer than [2].", "nearer", flat) == "unknown"
    assert state("[0] is on the left.", "side", flat) == "true"
    assert state("[0] is red.", "colour", flat) == "true"


@each_case(
    ("text", "is_found"),
    [
        ("[0] is next to [0].", True),
        ("[0] supports the weight of [0].", True),
        ("The sofa stands by [0].", True),
        ("[0] is left of [1].", False),
        ("[0] is red because the cover of [0] is red.", False),
        ("The height of [0] was measured, and [0] is tall.", False),
    ],
)
def test_a_thing_that_is_related_to_itself_is_found(text, is_found):
    assert bool(read_view(ROOM).find_self_relations(text)) == is_found
