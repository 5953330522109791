"""Films of a few homes through `roomtour collect`: are those of one home found to be, and no others?

    python benchmarks/same_home.py --out FOLDER [VIDEO ...] [--parts 4] [--gap 3]

Films are parts of videos, with seconds left out between them, so that no picture of one is in another; every second
part is dimmer and smaller, as another phone would have it. The example and the two walks through its rooms are one
home; the bare walk through the same rooms shows nothing that is there and is left to itself; each VIDEO is another
home. Printed are the pairs that were joined, rightly or wrongly, the pairs of one home that were not, and of those how
many shared points at all. Needs the light models.
"""

from __future__ import annotations

import argparse
import sys
from itertools import combinations
from pathlib import Path

import av
import numpy as np
from batch_tours import ROOT, Picture, write_video

from instructions.perception.models.light.embedding import PictureEmbedding
from instructions.perception.models.light.folder import find_light_file, light_folder
from roomtour.collect.gather import collect
from roomtour.collect.records import CollectOptions
from roomtour.config import Config
from roomtour.files.appended import read_records

OWN = {
    "examples/apartment.mp4": "apartment",
    "tests/data/short_walk.mp4": "apartment",
    "tests/data/straight_walk.mp4": "apartment",
    "tests/data/tiled_walk.mp4": "bare",
}
FPS = 6


def read_video(path: Path) -> list[Picture]:
    """Pictures, six a second."""
    due, pictures = 0.0, []
    with av.open(str(path)) as source:
        for frame in source.decode(video=0):
            if (frame.time or 0.0) >= due:
                due += 1 / FPS
                pictures.append(frame.to_ndarray(format="rgb24").astype(np.uint8))
    return pictures


def make_films(folder: Path, videos: dict[Path, str], parts: int, gap_s: float) -> dict[str, str]:
    """Write parts of videos; their homes by name."""
    folder.mkdir(parents=True, exist_ok=True)
    homes: dict[str, str] = {}
    for video, home in videos.items():
        pictures = read_video(video)
        count = parts if len(pictures) > 15 * FPS * 2 else 1
        step, gap = len(pictures) // count, round(gap_s * FPS) if count > 1 else 0
        for part in range(count):
            shown = pictures[part * step : (part + 1) * step - gap]
            if part % 2:
                shown = [(one[: one.shape[0] // 4 * 4 : 2, : one.shape[1] // 4 * 4 : 2] * 0.75) for one in shown]
            name = f"{video.stem}{part}"
            write_video(folder / f"{name}.mp4", [np.ascontiguousarray(one).astype(np.uint8) for one in shown], FPS)
            homes[name] = home
    return homes


def main() -> int:
    """Make, collect, compare; 1 if films of two homes were joined."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("videos", nargs="*", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--parts", type=int, default=4)
    parser.add_argument("--gap", type=float, default=3.0, help="seconds left out between two parts")
    given = parser.parse_args()
    network = find_light_file("embedding", light_folder())
    if network is None:
        sys.exit("needs: roomtour models pull light")
    videos = {ROOT / name: home for name, home in OWN.items()} | {video: video.stem for video in given.videos}
    homes = make_films(given.out / "films", videos, given.parts, given.gap)
    loose = CollectOptions(min_seconds=0.0, min_short_side=100.0, max_standing_share=1.0, min_sharpness=0.0)
    found = collect([given.out / "films"], given.out / "set", loose, Config(), embeds=PictureEmbedding(network))
    kept = {one.id: one.home for one in found.kept}
    points = {(row["one"], row["other"]): row["points"] for _, row in read_records(given.out / "set" / "places.jsonl")}
    joined = {pair for pair in combinations(sorted(kept), 2) if kept[pair[0]] and kept[pair[0]] == kept[pair[1]]}
    same = {pair for pair in combinations(sorted(kept), 2) if homes[pair[0]] == homes[pair[1]]}
    print(f"{len(kept)} films kept, {len(found.rejected)} fell: {sorted({one.code for one in found.rejected})}")
    print(
        f"joined {len(joined)} pairs, {len(joined & same)} of them of one home: {sorted(joined - same) or 'none wrong'}"
    )
    print(f"of {len(same)} pairs of one home {len(joined & same)} are joined; not: {sorted(same - joined)}")
    print("points shared:", sorted(points.items(), key=lambda item: -item[1]))
    return 1 if joined - same else 0


if __name__ == "__main__":
    sys.exit(main())
