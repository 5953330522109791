"""What links two sub-models: frames that both hold, and matches between their other frames; one solve over all links.

Each link is a similarity with how exactly it is known. Two models can agree on every shared frame and still be joined
at a wrong scale: behind a turn on the spot or a plain wall, little ties the shared frames to the rest of a model, and
they may have drifted in it by a fifth or a factor of ten. So a link over shared frames holds only if the frames beyond,
placed in the other model by their own matches, give the same scale.

Links around a loop, or over shared frames and over matches, never agree exactly. In the solve, seven numbers per
sub-model, each link counts by how exactly it is known, and one that is far off counts less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from recon.audit.verdict import LEAST_FRAMES
from recon.colmap.fuse import Alignment, align, find_shared_frames
from recon.geometry import Array, Sim3
from recon.merging.bridge import LEAST_SHARED, MAX_MOVE_DEPTHS, MAX_TURN_DEG, Side, find_bridge
from recon.merging.regrow import MergeJob
from recon.records import JoinedBy, SubModel


@dataclass(frozen=True, eq=False)
class Link:
    """How the second of two sub-models stands to the first, by one kind of evidence."""

    first: SubModel  # the larger one
    second: SubModel
    joined_by: JoinedBy
    frames: tuple[int, ...]  # those that both hold, or those that matches placed in the other model
    alignment: Alignment | None  # none if it is unknown
    doubt: str = ""  # why it does not count; empty if it does
    is_late: bool = False
    """Whether other evidence contradicts it: it counts only where nothing else is left. What picks up the frames of a
    bent model makes it needless."""


def find_links(one: SubModel, other: SubModel, job: MergeJob, *, use_matches: bool) -> list[Link]:
    """All links between two sub-models, those that do not count too.

    Without a database the poses are the user's, and the shared frames are believed as they are. `use_matches` is not
    for tours that take look-alikes for each other.
    """
    first, second = (one, other) if len(one.frames) >= len(other.frames) else (other, one)
    shared = find_shared_frames(first, second)
    links: list[Link] = []
    is_late = False
    if len(shared) >= LEAST_SHARED:
        alignment = align(first, second, shared)
        if alignment is None:
            doubt = "the shared frames have too few points in common, so the scale between the models is unknown"
        elif doubt := _find_disagreement(alignment, measure_step(first)):
            use_matches = False  # one of the two is bent, and matches elsewhere do not mend that
        elif doubt := _find_drift(alignment):
            is_late = True  # bent too, or the camera turned on the spot, where frames have no scale
        elif job.database_path is not None:
            doubt = _find_scale_doubt(first, second, shared, alignment, job.database_path, job)
        links.append(Link(first, second, "shared frames", shared, alignment, doubt))
    if job.database_path is None or not use_matches:
        return links
    bridge = find_bridge(Side(first), Side(second), job.database_path, seed=job.seed)
    if bridge is not None:
        doubt = _find_drift(bridge.alignment)
        links.append(Link(first, second, "matches", bridge.frames, bridge.alignment, doubt, is_late))
    return links


_MOST_SCALE_DRIFT = 0.15
"""Change of the relative scale along the shared frames, and between them and the frames beyond. Sound seams: at most
0.02; one over a bent part: 0.05; where the camera turned on the spot: a factor of 7 and far more."""


def _find_disagreement(alignment: Alignment, step: float) -> str:
    """Why aligned models cannot show the same place, `step` being that of the first; empty if they can.

    Two good models agree within a few tenths of a degree. Where the camera stands, steps mean nothing, so the shared
    cameras must be `MAX_MOVE_DEPTHS` apart too.
    """
    if alignment.rotation_disagreement_deg > MAX_TURN_DEG:
        return f"shared cameras differ by {alignment.rotation_disagreement_deg:.1f} deg, allowed {MAX_TURN_DEG}"
    off = alignment.center_disagreement
    if off > step and off > MAX_MOVE_DEPTHS * alignment.depth:
        steps = off / step if step > 0 else np.inf
        return f"shared cameras lie {steps:.1f} steps apart after alignment, allowed 1"
    return ""


def _find_drift(alignment: Alignment) -> str:
    """Why the scale between aligned models is not believed; empty if it is."""
    if alignment.scale_disagreement <= _MOST_SCALE_DRIFT:
        return ""
    return (
        f"the scale between the models drifts by {alignment.scale_disagreement:.0%} along the shared frames, "
        f"allowed {_MOST_SCALE_DRIFT:.0%}; one of them is bent"
    )


def measure_step(model: SubModel) -> float:
    """Median distance between consecutive registered frames; 0 for a single one."""
    centers = np.array([model.reconstruction.image(frame).projection_center() for frame in model.frames])
    return float(np.median(np.linalg.norm(np.diff(centers, axis=0), axis=1))) if len(centers) > 1 else 0.0


def _find_scale_doubt(
    first: SubModel, second: SubModel, shared: Sequence[int], alignment: Alignment, database_path: Path, job: MergeJob
) -> str:
    """Why the frames beyond the shared ones do not bear out the scale that these tell; empty if they do."""
    for asked in (first, second):
        frames = np.array(asked.frames)
        low, high = np.searchsorted(frames, [min(shared), max(shared)])
        near = frames[max(0, low - _REACH_FRAMES) : high + 1 + _REACH_FRAMES].tolist()
        beyond = frozenset(near).difference(shared)
        if len(beyond) < LEAST_FRAMES:
            continue
        part = Side(asked, beyond)
        sides = (part, Side(second)) if asked is first else (Side(first), part)
        found = find_bridge(*sides, database_path, job.seed, _FRAMES_PLACED)
        if found is None:
            return f"only the shared frames determine the scale: nothing ties them to the other frames of {asked.name}"
        ratio = found.alignment.first_from_second.scale / alignment.first_from_second.scale
        apart = float(np.expm1(abs(np.log(ratio))))
        if apart > _MOST_SCALE_DRIFT:
            return (
                f"the other frames of {asked.name} give a scale that differs by {apart:.0%} from that of the shared "
                f"frames, allowed {_MOST_SCALE_DRIFT:.0%}"
            )
    return ""


_REACH_FRAMES = 50  # to each side of the shared ones that are asked
_FRAMES_PLACED = 12  # of those beyond, by matches


_LEAST_SCALE_SIGMA, _LEAST_TURN_SIGMA_DEG, _LEAST_SHIFT_SIGMA = 0.005, 0.1, 0.01
"""How exactly a link is known at best (scale relative, shift in median depths): models are a little bent, each in its
own way, and say nothing of that."""


def solve(models: Sequence[SubModel], links: Sequence[Link]) -> list[dict[SubModel, Sim3]]:
    """Similarities group_from_model of every group of models that links connect.

    Returns:
        Groups in the order of their first models; the largest model of a group, the first of equals, has its frame and
        unit.
    """
    largest_first = sorted(models, key=lambda model: -len(model.frames))
    graph = nx.Graph()
    graph.add_nodes_from(largest_first)
    for link in links:
        if not graph.has_edge(link.first, link.second):
            graph.add_edge(link.first, link.second, link=link)
    groups: list[dict[SubModel, Sim3]] = []
    for start in largest_first:
        if not any(start in group for group in groups):
            group = _chain(start, graph)
            groups.append(_adjust(group, [link for link in links if link.first in group]))
    return groups


def _chain(start: SubModel, graph: nx.Graph) -> dict[SubModel, Sim3]:
    """All models that links lead to from one of them, each placed by the fewest."""
    placed = {start: Sim3(1.0, np.eye(3), np.zeros(3))}
    for known, new in nx.bfs_edges(graph, start):
        link = graph.edges[known, new]["link"]
        first_from_second = _get_alignment(link).first_from_second
        placed[new] = placed[known] @ (first_from_second if link.first is known else first_from_second.inverse())
    return placed


def _adjust(group: dict[SubModel, Sim3], links: Sequence[Link]) -> dict[SubModel, Sim3]:
    """The placed models, the first held still, as all links have them best."""
    first, *rest = group
    if len(links) <= len(rest):  # a tree, which fits all of them
        return group

    def unpack(numbers: Array) -> dict[SubModel, Sim3]:
        moved = (
            Sim3(float(np.exp(row[0])), Rotation.from_rotvec(row[1:4]).as_matrix(), row[4:])
            for row in numbers.reshape(-1, 7)
        )
        return {first: group[first], **dict(zip(rest, moved, strict=True))}

    def measure(numbers: Array) -> Array:
        placed = unpack(numbers)
        return np.concatenate([_measure_residual(link, placed) for link in links])

    start = np.concatenate([_to_numbers(group[model]) for model in rest])
    return unpack(least_squares(measure, start, loss="soft_l1").x)


def _measure_residual(link: Link, placed: Mapping[SubModel, Sim3]) -> Array:
    """By how many standard deviations (7,) a link is off: scale, turn and shift."""
    alignment = _get_alignment(link)
    known = alignment.first_from_second
    off = _to_numbers(known.inverse() @ placed[link.first].inverse() @ placed[link.second])
    scale = max(_LEAST_SCALE_SIGMA, alignment.scale_disagreement / 2, alignment.depth_spread / len(link.frames) ** 0.5)
    turn = np.radians(max(_LEAST_TURN_SIGMA_DEG, alignment.rotation_disagreement_deg))
    shift = max(_LEAST_SHIFT_SIGMA * alignment.depth, alignment.center_disagreement) / known.scale
    return off / np.array([scale, *[turn] * 3, *[shift] * 3])


def _get_alignment(link: Link) -> Alignment:
    assert link.alignment is not None
    return link.alignment


def _to_numbers(a_from_b: Sim3) -> Array:
    """Log of the scale, rotation vector and translation (7,)."""
    return np.r_[np.log(a_from_b.scale), Rotation.from_matrix(a_from_b.rotation).as_rotvec(), a_from_b.translation]
