"""Whether a small model that sees the pictures learns to answer questions about marks in homes it was not trained on.

    ROOMTOUR_MODELS=MODELS python benchmarks/mark_sighted.py RUN RUN RUN... [--write]

Each run is left out in turn. A forest is trained per type on the rows of the others, once on what a blind reader knows
(the features of `instructions.asking.blind`), and once on pictures too: where the marks are drawn, XFeat's descriptor
of each and how alike they are, what frozen networks say of the pictures (MobileNet's 1,024 numbers in their principal
axes, FastDepth's depth at each mark), and how matched keypoints move from the first picture to each other. No pose,
point or answer of the reconstruction is among them. A family whose sighted score is not above the blind one by 1.64
standard errors teaches nothing, or is false.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_extraction import DictVectorizer

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results_table import write_table
from instructions.asking.blind import BlindItem
from instructions.questions.core.options import MarkOptions
from instructions.questions.core.records import Question
from instructions.questions.quality.balance import blind_item
from instructions.questions.writers.marks import write_mark_questions
from recon.matching.xfeat import XFeat, match_alike, unpack_signed
from roomtour.run import Run

SIGMAS = 1.64
LEAST_ROWS = 40
"""Of a type: a forest on fewer says nothing."""
TREES = 60
AXES = 12
"""Principal axes of a picture's embedding, and of a mark's descriptor."""
PER_VIEW = MarkOptions(rows_per_view=20)
METERS_PER_STEP = 0.07169981
"""Of FastDepth's bytes."""


@dataclass(frozen=True)
class Networks:
    """Frozen networks of the folder of light models."""

    models: Path
    xfeat: XFeat = field(init=False)

    def __post_init__(self) -> None:
        weights = next((self.models / "features-xfeat").rglob("xfeat.onnx"))
        object.__setattr__(self, "xfeat", XFeat(weights, max_keypoints=1500, enough=750))

    @cached_property
    def _embedder(self) -> Any:
        return _interpreter(self.models / "embed-mobilenet-v1")

    @cached_property
    def _depth(self) -> Any:
        return _interpreter(self.models / "depth-fastdepth-nyu")

    def embed(self, picture: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(1024,), unit length."""
        vector = _run(self._embedder, picture).ravel().astype(np.float32)
        return vector / max(float(np.linalg.norm(vector)), 1e-9)

    def depth(self, picture: NDArray[np.uint8]) -> NDArray[np.float32]:
        """(224, 224) in metres; the picture is squashed to the square, as the network was trained on."""
        return cv2.medianBlur(_run(self._depth, picture).reshape(224, 224), 5) * np.float32(METERS_PER_STEP)


def _interpreter(folder: Path) -> Any:
    from ai_edge_litert.interpreter import Interpreter

    model = Interpreter(str(next(folder.rglob("*.tflite"))), num_threads=1)
    model.allocate_tensors()
    return model


def _run(model: Any, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    model.set_tensor(model.get_input_details()[0]["index"], cv2.resize(picture, (224, 224))[None])
    model.invoke()
    return np.asarray(model.get_tensor(model.get_output_details()[0]["index"]))


@dataclass(frozen=True, eq=False)
class SeenFrame:
    """What the networks say of one frame."""

    size_px: NDArray[np.float64]
    """Width and height."""
    xy: NDArray[np.float32]
    """(K, 2) keypoints, pixels."""
    descriptors: NDArray[np.float32]
    """(K, 64), unit length."""
    embedding: NDArray[np.float32]
    """(1024,), unit length."""
    depth_m: NDArray[np.float32]
    """(224, 224) of the whole frame."""


@dataclass
class Seen:
    """What the networks say of the frames of one run, computed when first asked."""

    run: Run
    networks: Networks
    _frames: dict[int, SeenFrame] = field(default_factory=dict)
    _moves: dict[tuple[int, int], dict[str, float]] = field(default_factory=dict)

    def frame(self, frame: int) -> SeenFrame:
        """One frame of the run."""
        if frame not in self._frames:
            picture = self.run.image(frame)
            found = self.networks.xfeat.detect(picture, None)
            vectors = unpack_signed(found.descriptors)
            vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
            size = np.array(picture.shape[1::-1], float)
            self._frames[frame] = SeenFrame(
                size, found.xy, vectors, self.networks.embed(picture), self.networks.depth(picture)
            )
        return self._frames[frame]

    def measure_flow(self, first: int, second: int) -> dict[str, float]:
        """How matched keypoints move from one frame to another: shares of the width, and a ratio of spreads."""
        if (first, second) not in self._moves:
            a, b = self.frame(first), self.frame(second)
            pairs = match_alike(a.descriptors, b.descriptors)
            flow = {"matches": float(len(pairs))}
            if len(pairs) >= 8:
                from_xy, to_xy = a.xy[pairs[:, 0]] / a.size_px, b.xy[pairs[:, 1]] / b.size_px
                shift = np.median(to_xy - from_xy, axis=0)
                spread = [float(np.median(np.abs(xy - np.median(xy, axis=0)))) + 1e-3 for xy in (from_xy, to_xy)]
                sides = [np.median(to_xy[part, 0]) - np.median(from_xy[part, 0]) for part in _halves(from_xy)]
                flow |= {"dx": float(shift[0]), "dy": float(shift[1]), "zoom": float(np.log(spread[1] / spread[0]))}
                flow |= {"opens": float(sides[1] - sides[0])}
            self._moves[first, second] = flow
        return self._moves[first, second]


def _halves(xy: NDArray[np.floating]) -> list[NDArray[np.bool_]]:
    """Which points lie in the left and in the right half of those there are."""
    left = xy[:, 0] <= np.median(xy[:, 0])
    return [left, ~left if (~left).any() else left]


@dataclass(frozen=True)
class Row:
    """A question with what is known of it blindly, and what its pictures show."""

    item: BlindItem
    numbers: Mapping[str, float]
    embeddings: Sequence[NDArray[np.float32]]
    descriptors: Sequence[NDArray[np.float32]]


def look(question: Question, seen: Seen) -> Row:
    """Features of one row's pictures and marks."""
    numbers: dict[str, float] = {}
    embeddings = [seen.frame(frame).embedding for frame in question.views]
    for place, frame in enumerate(question.views[1:], 2):
        numbers |= {
            f"picture {place} {name}": value for name, value in seen.measure_flow(question.views[0], frame).items()
        }
        numbers[f"picture {place} alike"] = float(embeddings[0] @ embeddings[place - 1])
    for one, other in combinations(range(1, len(question.views)), 2):
        numbers[f"pictures {one} {other} alike"] = float(embeddings[one] @ embeddings[other])
    descriptors = []
    for place, reference in enumerate(question.references):
        if reference.mark is None:
            continue
        frame = seen.frame(question.views[0] if reference.frame is None else reference.frame)
        x, y = (float(share) for share in np.array(reference.mark.xy) / frame.size_px)
        row, column = (int(np.clip(share * 224, 0, 223)) for share in (y, x))
        depth_m = float(frame.depth_m[row, column])
        numbers |= {f"mark {place} x": x, f"mark {place} y": y, f"mark {place} depth": depth_m}
        if len(frame.xy):
            nearest = int(np.argmin(((frame.xy - np.array(reference.mark.xy)) ** 2).sum(axis=1)))
            descriptors.append(frame.descriptors[nearest])
    for one, other in combinations(range(len(question.references)), 2):
        for name in ("x", "y", "depth"):
            pair = [numbers.get(f"mark {place} {name}") for place in (one, other)]
            if pair[0] is not None and pair[1] is not None:
                numbers[f"marks {one} {other} {name}"] = pair[0] - pair[1]
    for one, other in combinations(range(len(descriptors)), 2):
        numbers[f"descriptors {one} {other} alike"] = float(descriptors[one] @ descriptors[other])
    return Row(blind_item(question), numbers, embeddings, descriptors)


def score_both(rows: Sequence[Row]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which rows of one type are answered rightly blindly, and with the pictures; each run is left out in turn."""
    groups = np.array([row.item.group for row in rows])
    answers = np.array([str(row.item.answer) for row in rows])
    blind_features = np.asarray(DictVectorizer(sparse=False).fit_transform([dict(row.item.features) for row in rows]))
    numbers = np.asarray(DictVectorizer(sparse=False).fit_transform([dict(row.numbers) for row in rows]))
    right = np.zeros((2, len(rows)), bool)
    for group in sorted(set(groups)):
        test = groups == group
        train = ~test
        if len(set(answers[train])) < 2:
            continue
        pictures = np.hstack([numbers, *_in_axes([row.embeddings for row in rows], train)])
        pictures = np.hstack([pictures, *_in_axes([row.descriptors for row in rows], train)])
        for kind, features in enumerate((blind_features, np.hstack([blind_features, pictures]))):
            forest = ExtraTreesClassifier(TREES, min_samples_leaf=2, random_state=0, max_features="sqrt")  # type: ignore[arg-type]  # a share is taken, too
            forest.fit(features[train], answers[train])
            right[kind, test] = forest.predict(features[test]) == answers[test]
    return right[0], right[1]


def _in_axes(
    vectors: Sequence[Sequence[NDArray[np.float32]]], train: NDArray[np.bool_]
) -> Iterator[NDArray[np.float32]]:
    """The first, second, ... vector of each row in the principal axes of the known rows; zeros where there is none."""
    known = [vector for row, is_known in zip(vectors, train, strict=True) if is_known for vector in row]
    if len(known) <= AXES:
        return
    axes = PCA(AXES, random_state=0).fit(np.array(known))
    for place in range(max(map(len, vectors))):
        out = np.zeros((len(vectors), AXES), np.float32)
        has = [len(row) > place for row in vectors]
        out[has] = axes.transform(np.array([row[place] for row in vectors if len(row) > place]))
        yield out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true", help="write the table to benchmarks/results/")
    args = parser.parse_args()
    networks = Networks(Path(os.environ["ROOMTOUR_MODELS"]))
    by_type: dict[str, list[Row]] = defaultdict(list)
    family_of: dict[str, str] = {}
    for run in map(Run, args.runs):
        seen = Seen(run, networks)
        for question in write_mark_questions(run.scene, run.detections, PER_VIEW, not_asked=Counter()):
            if question.form == "number":
                continue
            by_type[question.type].append(look(question, seen))
            family_of[question.type] = question.family
    by_family: dict[str, list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]] = defaultdict(list)
    lines = []
    for kind, rows in sorted(by_type.items(), key=lambda item: (family_of[item[0]], item[0])):
        if len(rows) < LEAST_ROWS:
            continue
        blind, sighted = score_both(rows)
        by_family[family_of[kind]].append((blind, sighted))
        lines.append((family_of[kind], kind, *_compare(blind, sighted)))
    totals = [
        (family, "all", *_compare(*map(np.concatenate, zip(*scores, strict=True))))
        for family, scores in by_family.items()
    ]
    for line in (*lines, *totals):
        print(*(str(cell).ljust(26 if at < 2 else 9) for at, cell in enumerate(line)))
    taught = [sum(line[-1] == "yes" for line in part) for part in (lines, totals)]
    print(
        f"above blind: {taught[0]} of {len(lines)} types, {taught[1]} of {len(totals)} families; {len(args.runs)} tours"
    )
    if args.write:
        columns = ("family", "type", "rows", "blind", "sighted", "above", "1.64 se", "taught")
        write_table(
            "mark_sighted", columns, [*lines, *totals], note="Each tour is asked about by forests of the others."
        )
    return 0


def _compare(blind: NDArray[np.bool_], sighted: NDArray[np.bool_]) -> tuple[object, ...]:
    gain = sighted.astype(float) - blind
    reach = SIGMAS * float(gain.std()) / len(gain) ** 0.5
    above = float(gain.mean())
    shares = f"{blind.mean():.1%}", f"{sighted.mean():.1%}", f"{100 * above:+.1f}", f"{100 * reach:.1f}"
    return len(gain), *shares, "yes" if above > reach else "no"


if __name__ == "__main__":
    sys.exit(main())
