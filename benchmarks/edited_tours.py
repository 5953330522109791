"""Made edits of real walks: which cuts, dissolves and fades are found, and what is taken for one.

    python benchmarks/edited_tours.py VIDEO... [--edits 24] [--seed 0]

Each edit is a video of eight shots of 2 to 5 s from the given videos, at 30 frames per second: some dark and grainy,
some in other light from one picture on, some played at double speed. They follow each other by cuts, dissolves (6 to 45
frames) and fades through black or white (6 to 24 frames each way), and from some a piece of 0.5 to 1.5 s is cut out: a
jump within one place. A cut after which the picture still shows the same view, by SIFT and an epipolar geometry, is a
jump as well, and is counted on its own ("return"). A transition counts as found where one that was told overlaps it, a
cut within 0.1 s, a jump or return where a jump or a cut is told within 0.1 s. The given videos themselves are read too:
whatever is told there is false.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np

from recon.video.sampling import SampleOptions, sample_tour

FPS = 30
HARD = ("cut", "return", "jump")
"""Kinds of edits that take no time."""
SIZES = ((320, 180), (180, 320))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("videos", type=Path, nargs="+")
    parser.add_argument("--edits", type=int, default=24)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    shots = [read_small(video) for video in args.videos]
    counts: Counter[str] = Counter()
    for number in range(args.edits):
        images, truth = make_edit(shots, np.random.default_rng([args.seed, number]))
        with tempfile.TemporaryDirectory() as folder:
            video = Path(folder) / "edit.mp4"
            write(video, images)
            compare(video, truth, counts)
    for video in args.videos:
        compare(video, [], counts)
    for kind, found in (("cut", "cuts"), ("dissolve", "transitions"), ("fade", "transitions")):
        print(f"{kind}: {counts[f'{kind} found']} of {counts[kind]} found")
        if kind != "fade":
            print(f"{found} told: {counts[f'{found} told']}, of these false: {counts[f'{found} false']}")
    for kind in ("return", "jump"):
        print(f"{kind}: {counts[f'{kind} found']} of {counts[kind]} found, {counts[f'{kind} as cut']} of them as cuts")
    print(f"jumps told: {counts['jumps told']}, of these false: {counts['jumps false']}")


def read_small(video: Path) -> np.ndarray:
    """(N, h, w, 3) RGB pictures with a shorter side of 180."""
    with av.open(str(video)) as container:
        pictures = []
        for frame in container.decode(video=0):
            scale = 180 / min(frame.width, frame.height)
            width, height = (2 * round(side * scale / 2) for side in (frame.width, frame.height))
            pictures.append(frame.reformat(width, height, "rgb24", interpolation="AREA").to_ndarray())
    return np.stack(pictures)


def make_edit(
    sources: Sequence[np.ndarray], rng: np.random.Generator
) -> tuple[list[np.ndarray], list[tuple[str, float, float]]]:
    """Pictures, and (kind, first mixed picture, first whole one after it) in seconds."""
    size = SIZES[int(rng.integers(2))]
    images, truth = list(make_shot(sources, size, rng)), []
    for _ in range(7):
        shot, jump = take_piece_out(make_shot(sources, size, rng), rng)
        kind = str(rng.choice(["cut", "dissolve", "fade"]))
        count = int(rng.choice([6, 10, 15, 24, 30, 45] if kind == "dissolve" else [6, 10, 15, 24]))
        shares = ((np.arange(count) + 1) / (count + 1))[:, None, None, None]
        begin = len(images) - count
        if kind == "cut":
            same = shows_same_view(images[-1], shot[0])
            truth.append(("return" if same else kind, len(images) / FPS, len(images) / FPS))
            images += list(shot)
        elif kind == "dissolve":
            images[begin:] = list(np.stack(images[begin:]) * (1 - shares) + shot[:count] * shares)
            truth.append((kind, begin / FPS, len(images) / FPS))
            images += list(shot[count:])
        else:
            plain = np.full_like(shot[0], 255.0 if rng.random() < 0.2 else 0.0)
            images[begin:] = list(np.stack(images[begin:]) * (1 - shares) + plain * shares)
            images += [plain] * int(rng.choice([1, 4, 10]))
            shot[:count] = plain * (1 - shares) + shot[:count] * shares
            truth.append((kind, begin / FPS, (len(images) + count) / FPS))
            images += list(shot)
        if jump:
            at_s = (len(images) - len(shot) + jump) / FPS
            truth.append(("jump", at_s, at_s))
    return images, truth


def shows_same_view(before: np.ndarray, after: np.ndarray) -> bool:
    """Whether many keypoints of two pictures match and agree on one epipolar geometry."""
    sift, found = cv2.SIFT_create(contrastThreshold=0.01), []  # type: ignore[attr-defined]
    for image in (before, after):
        gray = cv2.cvtColor(np.round(image).astype(np.uint8), cv2.COLOR_RGB2GRAY)
        found.append(sift.detectAndCompute(cv2.equalizeHist(gray), None))
    (points0, descriptors0), (points1, descriptors1) = found
    if descriptors0 is None or descriptors1 is None or min(len(points0), len(points1)) < 8:
        return False
    pairs = cv2.BFMatcher(cv2.NORM_L2).knnMatch(descriptors0, descriptors1, k=2)
    matches = [best for best, second in pairs if best.distance < 0.75 * second.distance]
    if len(matches) < _SAME_VIEW_MATCHES:
        return False
    at0 = np.array([points0[match.queryIdx].pt for match in matches])
    at1 = np.array([points1[match.trainIdx].pt for match in matches])
    cv2.setRNGSeed(0)
    _, agree = cv2.findFundamentalMat(at0, at1, cv2.FM_RANSAC, 1.5, 0.99)
    return agree is not None and int(agree.sum()) >= _SAME_VIEW_MATCHES


_SAME_VIEW_MATCHES = 20  # of several hundred keypoints; unrelated views agree on 8 to 12


def take_piece_out(shot: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """A long shot without a piece of it, in some cases, and the first picture behind the gap; 0 for none."""
    gap = int(rng.integers(15, 45))
    if len(shot) < 100 or rng.random() < 0.5:
        return shot, 0
    jump = (len(shot) - gap) * 3 // 4  # behind the longest dissolve
    return np.concatenate([shot[:jump], shot[jump + gap :]]), jump


def make_shot(sources: Sequence[np.ndarray], size: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """(N, h, w, 3) pictures of one stretch of a video."""
    source = sources[int(rng.integers(len(sources)))]
    speed = 2 if rng.random() < 0.15 else 1
    count = min(int(rng.integers(60, 150)), len(source) // speed - 1)
    start = int(rng.integers(0, len(source) - count * speed))
    shot = np.stack([fit(source[start + speed * k], size) for k in range(count)]).astype(np.float64)
    if rng.random() < 0.3:
        shot = shot * rng.uniform(0.2, 0.5) + rng.normal(0, 2.5, shot.shape)
    if rng.random() < 0.25:
        gain = np.clip((np.arange(count) - count // 2) / rng.choice([1, 8, 20]), 0, 1) * (rng.choice([0.5, 1.5]) - 1)
        shot = shot * (1 + gain)[:, None, None, None]
    return np.clip(shot, 0, 255)


def fit(image: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """The middle of a picture in another shape."""
    (width, height), (h, w) = size, image.shape[:2]
    scale = max(width / w, height / h)
    large = np.asarray(cv2.resize(image, (round(w * scale + 0.5), round(h * scale + 0.5))))
    top, left = (large.shape[0] - height) // 2, (large.shape[1] - width) // 2
    return large[top : top + height, left : left + width]


def write(video: Path, images: Sequence[np.ndarray]) -> None:
    """Write pictures as H.264."""
    with av.open(str(video), "w") as container:
        stream = container.add_stream("libx264", rate=FPS, options={"crf": "23", "preset": "ultrafast"})
        stream.height, stream.width = images[0].shape[:2]  # type: ignore[attr-defined]
        stream.pix_fmt = "yuv420p"  # type: ignore[attr-defined]
        for number, image in enumerate(images):
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(np.round(image).astype(np.uint8)), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, FPS)
            container.mux(stream.encode(frame))  # type: ignore[attr-defined]
        container.mux(stream.encode(None))  # type: ignore[attr-defined]


def compare(video: Path, truth: Sequence[tuple[str, float, float]], counts: Counter[str]) -> None:
    """Count what the sampler tells of a video against the truth."""
    with tempfile.TemporaryDirectory() as folder:
        tour = sample_tour(video, Path(folder), SampleOptions(fps=1.0, max_shift=0.0, short_side=180))
    mixed = tour.transitions
    borders = {border for one in mixed for border in (one.begin_s, one.end_s)}
    cuts = [cut_s for cut_s in tour.cuts_s if cut_s not in borders]
    gradual = [(begin_s, end_s) for kind, begin_s, end_s in truth if kind not in HARD]
    hard = [begin_s for kind, begin_s, _ in truth if kind in HARD]
    said = [finding.message for finding in tour.findings if finding.code == "shots.jump"]
    jumps = [float(time) for message in said for time in re.findall(r"\d+\.\d\d", message)]
    for kind, begin_s, end_s in truth:
        counts[kind] += 1
        if kind == "cut":
            counts["cut found"] += any(abs(cut_s - begin_s) <= 0.1 for cut_s in cuts)
        elif kind in HARD:
            as_cut = any(abs(cut_s - begin_s) <= 0.1 for cut_s in cuts)
            counts[f"{kind} as cut"] += as_cut
            counts[f"{kind} found"] += as_cut or any(abs(jump_s - begin_s) <= 0.1 for jump_s in jumps)
        else:
            counts[f"{kind} found"] += any(one.begin_s < end_s and one.end_s > begin_s for one in mixed)
    counts["cuts told"] += len(cuts)
    counts["cuts false"] += sum(not any(abs(cut_s - true_s) <= 0.1 for true_s in hard) for cut_s in cuts)
    counts["jumps told"] += len(jumps)
    counts["jumps false"] += sum(not any(abs(jump_s - true_s) <= 0.1 for true_s in hard) for jump_s in jumps)
    counts["transitions told"] += len(mixed)
    counts["transitions false"] += sum(
        not any(one.begin_s < end_s and one.end_s > begin_s for begin_s, end_s in gradual) for one in mixed
    )


if __name__ == "__main__":
    main()
