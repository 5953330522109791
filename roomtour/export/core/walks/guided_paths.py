"""Choose the path, the candidates and the texts of each decision point, by the rules of the reference loader."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from instructions.navigation.records import Instruction
from trajectories.records import DecisionPoint, Trajectory

MIN_VIEWS = 4
MAX_VIEWS = 15
"""What comes after the 15th view, the stop included, is never supervised."""


@dataclass(frozen=True)
class GuidedPath:
    """A way to walk with one choice on it."""

    frames: tuple[int, ...]
    """Views in time order, MIN_VIEWS to MAX_VIEWS, all different."""
    candidates: tuple[int, ...]
    """The right view first, then the wrong ones. The right one is in `frames`, and not first there."""
    texts: tuple[str, ...]
    instructions: tuple[str, ...]
    """Ids of the instructions the texts come from."""

    @property
    def choice(self) -> int:
        """The right view."""
        return self.candidates[0]


@dataclass(frozen=True)
class _Way:
    """Instructions that tell the way between the same two frames."""

    first: int
    last: int
    frames: frozenset[int]
    instructions: tuple[Instruction, ...]


def guide_decisions(
    trajectory: Trajectory, instructions: Iterable[Instruction], usable: Collection[int]
) -> tuple[list[GuidedPath], Counter[str]]:
    """Join decision points with the instructions that tell a way through them.

    The path of a decision is the way of an accepted instruction: its views, with the positive view added where the
    instruction left it out, thinned evenly to MAX_VIEWS. Of several ways the one that names the positive view among
    its own wins, then the one with more wordings, then the shortest.

    Args:
        trajectory: The walk with its decisions.
        instructions: Of any trajectory; rejected ones and descriptions are passed over.
        usable: Frames with a position and a heading.

    Returns:
        Guided paths in the order of the decisions, and how many rows were dropped by reason.
    """
    on_walk = [frame for frame in trajectory.frames if frame in usable]
    ways = _ways(trajectory, instructions, set(on_walk))
    dropped: Counter[str] = Counter()
    path_of: dict[tuple[int, ...], GuidedPath] = {}
    for decision in trajectory.decisions:
        guided = _guide(decision, ways, on_walk)
        if isinstance(guided, str):
            dropped[guided] += 1
            continue
        known = path_of.get(guided.candidates)
        if known is not None:
            dropped["decision with the same candidates as another"] += 1
            continue
        path_of[guided.candidates] = guided
    guided_paths = list(path_of.values())
    used = {name for guided in guided_paths for name in guided.instructions}
    unused = sum(1 for way in ways for instruction in way.instructions if instruction.id not in used)
    if unused:
        dropped["instruction without a decision on its way"] += unused
    return guided_paths, dropped


def thin(frames: Sequence[int], most: int, keep: Collection[int] = ()) -> tuple[int, ...]:
    """At most `most` of the frames, evenly chosen, with the first, the last and those of `keep` among them."""
    if len(frames) <= most:
        return tuple(frames)
    must = {frames[0], frames[-1], *keep}
    others = [frame for frame in frames if frame not in must]
    room = most - len(must)
    picked = {others[(2 * k + 1) * len(others) // (2 * room)] for k in range(room)}
    return tuple(frame for frame in frames if frame in must or frame in picked)


def _ways(trajectory: Trajectory, instructions: Iterable[Instruction], on_walk: set[int]) -> list[_Way]:
    grouped: dict[tuple[int, int], list[tuple[Instruction, list[int]]]] = defaultdict(list)
    for instruction in instructions:
        fits = instruction.accepted and instruction.kind == "instruction" and instruction.text.strip()
        if fits and instruction.trajectory == trajectory.id:
            frames = [frame for frame in instruction.views if frame in on_walk]
            if frames:
                grouped[min(frames), max(frames)].append((instruction, frames))
    return [
        _Way(
            first,
            last,
            frozenset(frame for _, frames in members for frame in frames),
            tuple(instruction for instruction, _ in members),
        )
        for (first, last), members in grouped.items()
    ]


def _guide(decision: DecisionPoint, ways: Sequence[_Way], on_walk: Sequence[int]) -> GuidedPath | str:
    """The guided path of a decision, or why there is none."""
    choice = decision.positive_frame
    if choice not in on_walk:
        return "decision whose right view has no position or heading"
    fitting = [way for way in ways if way.first < choice <= way.last]
    if not fitting:
        return "decision on no instruction's way"
    way = min(fitting, key=lambda way: (choice not in way.frames, -len(way.instructions), way.last - way.first))
    views = sorted(way.frames | {choice})
    if len(views) < MIN_VIEWS:
        views = [frame for frame in on_walk if way.first <= frame <= way.last]
    if len(views) < MIN_VIEWS:
        return f"decision whose way has fewer than {MIN_VIEWS} views"
    path = thin(views, MAX_VIEWS, keep=(choice,))
    here = path[path.index(choice) - 1]
    wrong = dict.fromkeys(f for f in decision.negative_frames if f in on_walk and f not in (choice, here))
    if not wrong:
        return "decision without a wrong view but the one stood on"
    texts = tuple(dict.fromkeys(" ".join(instruction.text.split()) for instruction in way.instructions))
    return GuidedPath(path, (choice, *wrong), texts, tuple(instruction.id for instruction in way.instructions))
