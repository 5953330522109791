"""Texts of several runs, drawn blind and mixed, to be rated beside their frames; and the figures of such a rating.

    python benchmarks/blind_rating.py draw RUN... --texts 60 --beside OLD_RUN... --beside-texts 20 --out DIR
    python benchmarks/blind_rating.py score DIR

`draw` writes `DIR/items/NUMBER.png`, the frames of a way in order with the text under them, and nothing that tells
where a text comes from; that stands in `DIR/key.json` (or in `--key`, out of a rater's sight), which a rater does not
open. The rater fills `DIR/ratings.csv`: a rating of the paper's scale (1 totally irrelevant, 2 partially relevant, 3
mostly relevant, 4 perfect match), 1 if any statement is false, and a note. `score` puts both together.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import textwrap
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

MOST_FRAMES, COLUMNS = 24, 6
TILE_WIDTH, LINE_HEIGHT, LETTERS = 250, 26, 118
ROWS = ("navigation/rows.jsonl", "navigation/further_rows.jsonl", "instructions/instructions.jsonl")
"""Where texts lie: about walks, parts of them and ways back, and in runs made before kinds of data had a place."""
HEADER = ("item", "rating", "false", "note")


@dataclass(frozen=True)
class Item:
    """A text, where it comes from, and the frames of its way."""

    group: str
    run: str
    row: str
    text: str
    first_frame: int
    last_frame: int


def draw(
    runs: Sequence[Path], texts: int, beside: Sequence[Path], beside_texts: int, out: Path, key: Path | None, seed: int
) -> int:
    """Write the sheets, the key and the empty list of ratings; returns how many items there are."""
    random_order = random.Random(seed)
    items = _draw_items("now", runs, texts, random_order) + _draw_items("before", beside, beside_texts, random_order)
    random_order.shuffle(items)
    (out / "items").mkdir(parents=True)
    for number, item in enumerate(items, start=1):
        cv2.imwrite(str(out / "items" / f"{number:03d}.png"), draw_sheet(item, number))
    (key or out / "key.json").write_text(json.dumps([asdict(item) for item in items], indent=1), encoding="utf-8")
    with (out / "ratings.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *([number, "", "", ""] for number in range(1, len(items) + 1))])
    return len(items)


def _draw_items(group: str, runs: Sequence[Path], count: int, random_order: random.Random) -> list[Item]:
    """As many of each run as there are, in turns, so that a long tour does not crowd out a short one."""
    by_run = [read_items(group, run) for run in runs]
    for items in by_run:
        random_order.shuffle(items)
    drawn: list[Item] = []
    while len(drawn) < count and any(by_run):
        drawn += [items.pop() for items in by_run if items]
    return drawn[:count]


def read_items(group: str, run: Path) -> list[Item]:
    """The accepted texts of a run."""
    paths = [run / name for name in ROWS if (run / name).exists()]
    if not paths:
        raise SystemExit(f"blind_rating: {run}: no texts; it needs one of {', '.join(ROWS)}")
    found = []
    for row in (json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()):
        frames = row.get("views") or row.get("frames") or (row.get("first_frame"), row.get("last_frame"))
        is_way_back = "_back" in row.get("trajectory", "")
        if row["accepted"] and not is_way_back and all(frame is not None for frame in frames):
            found.append(Item(group, str(run), row["id"], row["text"], min(frames), max(frames)))
    return found


def draw_sheet(item: Item, number: int) -> Picture:
    """(h, w, 3) BGR: frames of the way from left to right and down, the text below."""
    pictures = [
        path
        for path in sorted((Path(item.run) / "frames").glob("*.jpg"))
        if item.first_frame <= int(path.stem) <= item.last_frame
    ]
    shown = [pictures[at] for at in np.unique(np.linspace(0, len(pictures) - 1, MOST_FRAMES).round().astype(int))]
    tiles = [_tile(path, place) for place, path in enumerate(shown, start=1)]
    blank = np.full_like(tiles[0], 255)
    tiles += [blank] * (-len(tiles) % COLUMNS)
    rows = [np.hstack(tiles[at : at + COLUMNS]) for at in range(0, len(tiles), COLUMNS)]
    lines = [f"item {number}", *textwrap.wrap(item.text, LETTERS)]
    words = np.full((LINE_HEIGHT * (len(lines) + 1), rows[0].shape[1], 3), 255, dtype=np.uint8)
    for place, line in enumerate(lines, start=1):
        cv2.putText(words, line, (8, LINE_HEIGHT * place), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (0, 0, 0), 1, cv2.LINE_AA)
    return np.vstack([*rows, words])


def _tile(path: Path, place: int) -> Picture:
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if picture is None:
        raise SystemExit(f"blind_rating: {path}: no picture")
    height = round(picture.shape[0] * TILE_WIDTH / picture.shape[1])
    tile = cv2.resize(picture, (TILE_WIDTH, height), interpolation=cv2.INTER_AREA)
    cv2.putText(tile, str(place), (6, 24), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (0, 255, 255), 2, cv2.LINE_AA)
    return tile.astype(np.uint8)


def score(folder: Path, place: Path | None) -> str:
    """Mean rating, shares of each rating and of texts with a false statement, by group and tour."""
    key = [Item(**item) for item in json.loads((place or folder / "key.json").read_text(encoding="utf-8"))]
    by_group: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    with (folder / "ratings.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if not row["rating"]:
                continue
            item = key[int(row["item"]) - 1]
            said = int(row["rating"]), row["false"].strip() == "1"
            by_group[item.group].append(said)
            by_group[f"{item.group}, {Path(item.run).name}"].append(said)
    lines = [f"{'texts of':24} {'n':>3} {'mean':>5} {'1':>5} {'2':>5} {'3':>5} {'4':>5} {'a false statement':>18}"]
    for group, said in sorted(by_group.items()):
        ratings = np.array([rating for rating, _ in said])
        shares = " ".join(f"{float(np.mean(ratings == value)):5.0%}" for value in (1, 2, 3, 4))
        false = float(np.mean([is_false for _, is_false in said]))
        lines.append(f"{group:24} {len(said):3d} {ratings.mean():5.2f} {shares} {false:18.0%}")
    return "\n".join(lines)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("runs", nargs="+", type=Path)
    drawing.add_argument("--texts", type=int, default=60)
    drawing.add_argument("--beside", nargs="*", type=Path, default=[])
    drawing.add_argument("--beside-texts", type=int, default=20)
    drawing.add_argument("--out", type=Path, required=True)
    drawing.add_argument("--key", type=Path, help="where the key goes; DIR/key.json if not given")
    drawing.add_argument("--seed", type=int, default=0)
    scoring = commands.add_parser("score")
    scoring.add_argument("folder", type=Path)
    scoring.add_argument("--key", type=Path, help="where the key is")
    given = parser.parse_args()
    if given.command == "score":
        print(score(given.folder, given.key))
        return
    count = draw(given.runs, given.texts, given.beside, given.beside_texts, given.out, given.key, given.seed)
    print(f"{count} items in {given.out / 'items'}; ratings go into {given.out / 'ratings.csv'}")


if __name__ == "__main__":
    main()
