"""What the golden file holds, and how it is made again.

`python -m tests.support.golden` writes `tests/golden/instructions.txt`; read the difference before keeping it.
"""

from __future__ import annotations

from instructions.navigation.frame_lines import describe_frame
from instructions.navigation.grammar_writer import write_instructions
from instructions.perception.landmarks.landmarks import find_landmarks
from tests.support.paths import ROOT
from tests.support.worlds.boxworld import make_world, true_objects
from tests.support.worlds.made_walks import random_world

GOLDEN = ROOT / "tests" / "golden" / "instructions.txt"


def golden_text() -> str:
    """Texts and frame lines of the corridor from its points, and texts of some random walks from their boxes."""
    lines: list[str] = []
    world = make_world()
    found = find_landmarks(world.model, None, world.scene.frames)
    lines.append("corridor")
    rows = write_instructions(world.scene, [world.trajectory], found.objects, found.observations, seed=1)
    lines += [f"  {row.kind}: {row.text}" for row in rows]
    by_id = {thing.id: thing for thing in found.objects}
    for frame in (1, 12, 33, 51):
        lines.append(f"  frame {frame}: {describe_frame(frame, found.observations, by_id).text}")
    for seed in range(12):
        world = random_world(seed)
        objects, observations = true_objects(world)
        lines.append(f"walk {seed}")
        for row in write_instructions(world.scene, [world.trajectory], objects, observations, seed=seed):
            verdict = "" if row.accepted else f" [rejected: {row.rejection}]"
            lines.append(f"  {row.kind}: {row.text}{verdict}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    GOLDEN.write_text(golden_text(), encoding="utf-8")
    print(f"wrote {GOLDEN}; review the difference")
