"""What a camera's roll costs the light networks, and whether a tour that lies or stands on its head is set upright.

    ROOMTOUR_MODELS=FOLDER python benchmarks/upright.py RUN...

RUN is a run folder, of which only the frames are read. Printed are the things found by roll in 30 of them, evenly, and
the quarter turns found after turning all of them by each of four.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import cv2
import numpy as np

from instructions.perception.frames.upright import VoteTask, decide_turn
from instructions.perception.interfaces import RgbImage
from instructions.perception.models.light.folder import find_light_files, light_folder
from instructions.perception.models.light.labels import coco_words
from instructions.perception.models.light.yolox import Yolox
from instructions.perception.read_rgb import read_rgb

FRAMES = 30
ROLLS_DEG = (0, 5, 10, 20, 30, 45, 90, 180, 270)
SURE = 0.35


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    files = find_light_files(light_folder(None))
    detector = Yolox(files["yolox"], 0.2)
    task = VoteTask(files["yolox"], files["mosaic"])
    wanted = [sorted({word for word in coco_words() if word})]
    for run in parser.parse_args().runs:
        images = [image for path in sorted((run / "frames").iterdir()) if (image := read_rgb(path)) is not None]
        some = [images[at] for at in np.linspace(0, len(images) - 1, FRAMES).round().astype(int)]
        for roll_deg in ROLLS_DEG:
            rolled = [roll(image, roll_deg) for image in some]
            things = sum(box.score >= SURE for image in rolled for box in detector.detect([image], wanted)[0])
            print(f"{run.name}: rolled by {roll_deg} deg: {things} things in {FRAMES} frames")
        for quarter_turns in range(4):
            print(f"{run.name}: turned {quarter_turns} times, back by {find_turns(images, quarter_turns, task)}")


def find_turns(images: list[RgbImage], quarter_turns: int, task: VoteTask) -> int:
    """What the program finds for the images after so many quarter turns."""
    with tempfile.TemporaryDirectory() as folder:
        pictures = []
        for number, image in enumerate(images):
            path = Path(folder) / f"{number:03d}.png"
            cv2.imwrite(str(path), np.rot90(image, quarter_turns)[:, :, ::-1])
            pictures.append(path)
        return decide_turn(task(tuple(pictures)))


def roll(image: RgbImage, deg: int) -> RgbImage:
    """The picture of a rolled camera; where it would see more, the edge is repeated."""
    if deg % 90 == 0:
        return np.ascontiguousarray(np.rot90(image, deg // 90))
    height, width = image.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), deg, 1.0)
    return np.asarray(cv2.warpAffine(image, turn, (width, height), borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8)


if __name__ == "__main__":
    main()
