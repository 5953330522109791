from dataclasses import replace

from instructions.claims.walk_claims import check_claims
from instructions.navigation.grammar_writer import write_instructions
from instructions.records import Claim, SceneObject, Side
from instructions.tour import Tour
from tests.support.worlds.boxworld import true_objects
from tests.support.worlds.made_walks import random_world

OPPOSITE: dict[Side, Side] = {"left": "right", "right": "left"}


def corrupt(claim: Claim, others: list[SceneObject]) -> list[Claim]:
    """Claims that differ in one thing a reader would rely on: side, or an object that is somewhere else."""
    out = []
    if claim.side in OPPOSITE:
        angle = -claim.angle_deg if claim.angle_deg is not None else None
        out.append(replace(claim, side=OPPOSITE[claim.side], angle_deg=angle))
    if claim.object is not None:
        out += [replace(claim, object=name) for name in ("0_99", *(other.id for other in others))]
    return out


def test_true_claims_are_kept_and_corrupted_ones_are_caught():
    kept = told = 0
    caught: list[bool] = []
    for seed in range(10):
        world = random_world(seed)
        objects, observations = true_objects(world)
        for row in write_instructions(Tour(world.scene, objects, observations), [world.trajectory]):
            told += len(row.claims) + len(row.dropped)
            kept += sum(one.true for one in row.claims)
            named = {one.claim.object for one in row.claims}
            far = [thing for thing in objects if thing.id not in named]  # landmarks that are nowhere near this way
            for wrong in (wrong for one in row.claims for wrong in corrupt(one.claim, far)):
                caught.append(not check_claims(world.scene, world.trajectory, objects, [wrong])[0].true)
    assert told > 80
    assert kept >= 0.98 * told
    assert len(caught) > 120
    assert sum(caught) >= 0.95 * len(caught)
