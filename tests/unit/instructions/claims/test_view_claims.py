"""Claims about a view of boxes at known places, on both sides of each bar."""

from dataclasses import replace

import pytest

from instructions.claims.view_claims import ViewClaim, ViewClaimKind
from instructions.claims.view_judge import judge
from tests.support.cases import each_case
from tests.support.worlds.made_view import change, thing, view

SOFA = thing("s", (3.0, 1.5, 0.4), (0.4, 0.9, 0.4), category="sofa", color="red")
CHAIR = thing("c", (2.0, -0.8, 0.45), (0.25, 0.25, 0.45), category="chair", color="gray")
TABLE = thing("t", (3.0, -0.2, 0.35), (0.4, 0.5, 0.35), category="table", color="brown")
VASE = thing("v", (3.0, -0.2, 0.8), (0.1, 0.1, 0.1), category="vase", color="blue")
LOOKED_FOR = frozenset({"sofa", "chair", "table", "vase", "piano"})
ROOM = view(
    SOFA, CHAIR, TABLE, VASE, numbered=True, room="living room", room_probability=0.9, looked_for=LOOKED_FOR
)  # fmt: skip


def find_state(kind: ViewClaimKind, ids: str = "", value: str | float | None = None, seen=ROOM) -> str:
    """What is known of a claim about things of one letter each; `~` before them denies it."""
    things = ids.removeprefix("~")
    return judge(ViewClaim(kind, "", (*things[:1],), (*things[1:],), value, ids.startswith("~")), seen).state


@each_case(
    ("kind", "ids", "value", "expected"),
    [
        ("side", "s", "left", "true"), ("side", "s", "right", "false"), ("left of", "sc", None, "true"),
        ("right of", "sc", None, "false"), ("left of", "vt", None, "unknown"),  # the same place from side to side
        ("nearer", "ct", None, "true"), ("farther", "ct", None, "false"), ("in front of", "ct", None, "true"),
        ("behind", "ct", None, "false"), ("on", "vt", None, "true"), ("under", "tv", None, "true"),
        ("next to", "vt", None, "unknown"),  # it stands on it
        ("next to", "cs", None, "false"), ("larger", "sv", None, "true"), ("smaller", "sv", None, "false"),
        ("taller", "ct", None, "true"), ("taller", "cs", None, "unknown"),  # 0.90 against 0.80 m
        ("distance", "s", 2.7, "true"), ("distance", "s", 5.0, "false"), ("height", "s", 0.8, "true"),
        ("height", "s", 1.6, "false"), ("count", "c", 1.0, "true"), ("count", "c", 2.0, "false"),
        ("visible", "", "harp", "unknown"),  # nobody looked for one
        ("visible", "~", "piano", "true"), ("color", "s", "red", "true"), ("color", "s", "green", "false"),
        ("color", "c", "white", "unknown"),  # gray in another light
        ("kind", "s", "couch", "true"), ("kind", "s", "table", "false"), ("room", "", "living room", "true"),
        ("room", "", "kitchen", "false"), ("left of", "~sc", None, "false"), ("side", "x", "left", "unknown"),
    ],
)  # fmt: skip
def test_each_claim_is_measured(kind, ids, value, expected):
    assert find_state(kind, ids, value) == expected


def test_lengths_are_false_without_a_scale():
    bare = view(SOFA, CHAIR, TABLE, VASE, numbered=True, scale="relative")
    assert find_state("distance", "s", 2.7, bare) == "false"
    assumed = view(SOFA, CHAIR, TABLE, VASE, numbered=True, scale="assumed")
    assert find_state("distance", "s", 2.7, assumed) == "true"


@pytest.mark.parametrize(("share", "expected"), [(0.31, "true"), (0.29, "unknown"), (0.04, "false")])
def test_things_count_by_how_much_of_them_is_seen(share, expected):
    two = (CHAIR, thing("d", (4.0, 1.0, 0.4), (0.2, 0.2, 0.4), visible=share))
    assert find_state("count", "c", 2.0, view(*two, looked_for=LOOKED_FOR)) == expected
    assert find_state("count", "c", 2.0, view(*two)) == "unknown"


def test_a_mirrored_room_turns_left_and_right():
    def mirror(one):
        (x, y, z), half = one.body.box.center, one.body.box.half_extents
        return thing(one.id, (x, -y, z), half, category=one.category)

    turned = view(*map(mirror, ROOM.things), numbered=True)
    for a in "sctv":
        for b in "sctv".replace(a, ""):
            assert find_state("left of", a + b) == find_state("right of", a + b, None, turned)


def test_pictures_without_poses_leave_the_room_unknown():
    flat = replace(ROOM, model=replace(ROOM.model, world_from_cam={}))
    assert find_state("nearer", "ct", None, flat) == "unknown"
    assert find_state("side", "s", "left", flat) == "true"


def test_a_view_that_looks_into_another_room_may_be_called_by_it():
    kitchen = (change(one, room="kitchen", room_probability=0.9) for one in (SOFA, CHAIR))
    looking = view(*kitchen, room="hall", room_probability=0.95)
    states = [find_state("room", "", room, looking) for room in ("kitchen", "bedroom", "entrance")]
    assert states == ["unknown", "false", "unknown"]
    assert [find_state("room", "s", room, looking) for room in ("kitchen", "hall")] == ["true", "false"]
