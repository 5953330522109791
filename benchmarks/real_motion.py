"""The motion of a real walk with known poses: what is written of it, and what the check says of statements about it.

    python benchmarks/real_motion.py DATA [--every 3] [--stretch 56-89]

DATA holds `office_walk/poses.txt`: one 4x4 camera-to-world per image, metres, OpenCV axes, world y up, 10 frames per
second. Frames carry their number in that file, from 1. Prints the steps of the motion (of one stretch, if asked), the
texts of today's writer, and how often the check agrees with what the frames show (`LABELS`, by eye). Exit code 1
if it does not agree on 97 % of the labels.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from office_build import load_walk

from instructions.claims.walk_claims import check_claims, judge_untold_turn
from instructions.facts.walk import Walk
from instructions.navigation.grammar_writer import write_instructions
from instructions.navigation.moves.legs import find_walks, tell_turn
from instructions.navigation.moves.motion import find_motion
from instructions.navigation.moves.turns import find_turns
from instructions.records import Claim, ClaimKind, Side
from instructions.tour import Tour
from recon.conventions import elevation_deg, heading_deg
from recon.geometry import Camera, Pose
from recon.records import Frame, Scale, Scene, SceneModel, SourceInfo, Tracks
from trajectories.records import Trajectory, TrajectoryPoint

FPS = 10.0
LEAST_AGREED = 0.97
Z_UP_FROM_Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


@dataclass(frozen=True)
class Label:
    """A statement about some frames of `office_walk`, and whether it is true by its frames."""

    first: int
    last: int
    kind: ClaimKind
    told: Side | float | None
    """Side of a turn or look, None for a turn around; of a walk the direction against the view, 0 forward."""
    true: bool
    angle_deg: float | None = None

    @property
    def claim(self) -> Claim:
        """As a writer would hand it over."""
        words = f"{self.kind} {self.told}"
        if self.kind == "walk":
            return Claim("walk", words, angle_deg=float(self.told or 0.0), first_frame=self.first, last_frame=self.last)
        side: Side | None = "left" if self.told == "left" else "right" if self.told == "right" else None
        angle = self.angle_deg
        return Claim(self.kind, words, None, side, angle, self.first, self.last)


LABELS = (
    # Along the corridor past the poster, bending left before the sofa to the head of the long table.
    Label(10, 43, "walk", 0.0, True),
    Label(10, 43, "walk", 90.0, False),
    Label(34, 50, "turn", "left", True, 90.0),
    Label(34, 50, "turn", "right", False, -90.0),
    Label(34, 50, "turn", None, False, 180.0),
    # Along the table, then the view swings right over it: a curve forward, no side step.
    Label(56, 80, "walk", 0.0, True),
    Label(56, 89, "walk", 90.0, False),
    Label(56, 80, "walk", 90.0, False),
    Label(56, 80, "walk", 180.0, False),
    Label(76, 88, "look", "right", True),
    Label(76, 88, "look", "left", False),
    # At the end of the table sideways to the left with the plants ahead, back the other way, and about to the counter.
    Label(97, 112, "walk", 90.0, True),
    Label(97, 112, "walk", 0.0, False),
    Label(97, 112, "walk", -90.0, False),
    Label(100, 150, "walk", 0.0, False),
    Label(112, 134, "turn", "right", True, -105.0),
    Label(112, 134, "turn", "left", False, 105.0),
    Label(97, 150, "turn", "right", False, -45.0),
    # From the dishwasher back a step, then sideways along the counter to the coffee machine.
    Label(135, 143, "walk", 180.0, True),
    Label(135, 143, "walk", 0.0, False),
    Label(144, 156, "walk", 0.0, False),
    Label(151, 156, "walk", 0.0, False),
    # Away along the counter, then forward to the doors and the sofa.
    Label(156, 162, "walk", 90.0, True),
    Label(157, 169, "turn", "left", True, 75.0),
    Label(157, 169, "turn", "right", False, -75.0),
    Label(172, 200, "walk", 0.0, True),
    Label(172, 200, "walk", 180.0, False),
    Label(172, 200, "turn", "left", True, 75.0),
    Label(200, 213, "walk", 0.0, True),
    # The view swings right over the sofa and the way on goes backwards, out between the tables.
    Label(214, 236, "look", "right", True),
    Label(236, 262, "walk", 180.0, True),
    Label(236, 262, "walk", 0.0, False),
    Label(214, 250, "walk", 0.0, False),
    # Round to the football table, on to it, then left to the kitchen and the sofa, then right again.
    Label(268, 290, "turn", "right", True, -90.0),
    Label(267, 373, "turn", "left", False, None),
    Label(267, 373, "turn", "right", False, None),
    Label(267, 373, "walk", 0.0, False),
    Label(290, 304, "walk", 0.0, True),
    Label(290, 304, "walk", 180.0, False),
    Label(301, 343, "turn", None, True),
    Label(301, 343, "turn", "right", False, -90.0),
    Label(334, 347, "walk", 0.0, True),
    Label(346, 368, "turn", "right", True, -135.0),
    Label(346, 368, "turn", "left", False, 135.0),
    Label(352, 373, "walk", 0.0, True),
    Label(352, 373, "walk", -90.0, False),
    Label(301, 373, "turn", "left", False, 60.0),
)


def make_walk(folder: Path, every: int) -> tuple[Scene, Trajectory]:
    """The walk by its true poses as records, without things."""
    _, _, truth = load_walk(folder)
    poses = {
        frame: Pose(Z_UP_FROM_Y_UP @ pose.rotation, Z_UP_FROM_Y_UP @ pose.translation)
        for frame, pose in truth.items()
        if (frame - 1) % every == 0
    }
    frames = tuple(Frame(i, (i - 1) / FPS, f"{i:06d}.jpg", 540, 360, 1.0, 0) for i in poses)
    none, index = np.zeros(0), np.zeros(0, np.int64)
    tracks = Tracks(np.zeros((0, 3)), np.zeros((0, 3), np.uint8), none, index, index, np.zeros((0, 2)))
    camera = Camera("PINHOLE", 540, 360, (430.0, 430.0, 270.0, 180.0))
    model = SceneModel("0", camera, poses, tracks, Scale("metric", 1.0, 0.01, "truth"), 0.0, "truth", 0.0)
    source = SourceInfo("office", "images", 540, 360, len(truth) / FPS, len(truth), FPS, "jpg", 0, "0" * 64)
    points = []
    for frame, pose in poses.items():
        x, y, z = pose.center.tolist()
        points.append(TrajectoryPoint(frame, (frame - 1) / FPS, (x, y, z), heading_deg(pose), elevation_deg(pose)))
    walk = Trajectory("office_m0_t0", "office", "0", "m", "metric", tuple(points), (), (), (), ())
    return Scene("office", source, frames, (), (model,)), walk


def print_steps(trajectory: Trajectory, first_frame: int, last_frame: int) -> None:
    """Walks and turns of the writer that lie in a stretch, in time order."""
    motion = find_motion(Walk.of(trajectory), 1.0)
    last = len(motion.going) - 1
    events = find_walks(motion, 0, last) + [tell_turn(motion, turn) for turn in find_turns(motion)]
    for event in sorted(events, key=lambda event: event.first_frame):
        if event.last_frame >= first_frame and event.first_frame <= last_frame:
            angle = f"{event.angle_deg:+.0f} deg" if event.angle_deg is not None else ""
            print(f"  {event.first_frame:4d} to {event.last_frame:4d}  {event.kind:<5} {event.side or '':<6} {angle}")


def print_texts(scene: Scene, trajectory: Trajectory) -> None:
    """The instructions of today's writer with what the check says of each statement."""
    for row in write_instructions(Tour(scene), [trajectory]):
        if row.kind == "instruction":
            rejected = "" if row.accepted else f"  [rejected: {row.rejection}]"
            print(f"  {row.views[0]:4d} to {row.views[-1]:4d}  {row.text}{rejected}")
            for check in (*row.claims, *row.dropped):
                claim = check.claim
                verdict = "" if check.true else "FALSE "
                print(f"      {claim.first_frame}-{claim.last_frame} {claim.text}: {verdict}{check.reason}")


def judge_labels(scene: Scene, trajectory: Trajectory, labels: Sequence[Label]) -> float:
    """Share of the labels that the check agrees with; prints the others."""
    walk = Walk.of(trajectory)
    agreed = 0
    for label in labels:
        claim = label.claim
        first, last = (_nearest(walk, frame) for frame in (label.first, label.last))
        claim = Claim(claim.kind, claim.text, None, claim.side, claim.angle_deg, first, last)
        check = check_claims(scene, trajectory, (), [claim])[0]
        agreed += check.true == label.true
        if check.true != label.true:
            seen = "true" if label.true else "false"
            print(f"  frames {label.first} to {label.last}, {claim.text}: by eye {seen}; {check.reason}")
    return agreed / len(labels)


def _nearest(walk: Walk, frame: int) -> int:
    return min(walk.frames, key=lambda known: abs(known - frame))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder that holds office_walk/")
    parser.add_argument("--every", type=int, default=3, help="use every n-th pose; 3 is what the pipeline samples")
    parser.add_argument("--stretch", default="1-373", help="first and last frame of the steps to print")
    arguments = parser.parse_args()
    scene, trajectory = make_walk(arguments.data / "office_walk", arguments.every)
    first, last = (int(part) for part in arguments.stretch.split("-"))
    print(f"Steps of frames {first} to {last}")
    print_steps(trajectory, first, last)
    print("Texts")
    print_texts(scene, trajectory)
    print("Without a word of its turns, the walk of frames 268 to 373:")
    print(f"  {judge_untold_turn(trajectory, (), _nearest(Walk.of(trajectory), 268), trajectory.frames[-1])}")
    print("Labels that the check does not agree with")
    share = judge_labels(scene, trajectory, LABELS)
    print(f"{share:.0%} of {len(LABELS)} labels agreed")
    return 0 if share >= LEAST_AGREED else 1


if __name__ == "__main__":
    raise SystemExit(main())
