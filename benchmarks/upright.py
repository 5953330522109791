"""What a camera's roll costs the light networks, and whether a tour that lies or stands on its head is set upright.

    ROOMTOUR_MODELS=FOLDER python benchmarks/upright.py TOUR...

TOUR is a video or a folder of images. Each is sampled at 30 frames, evenly; printed are the things that both detectors
agree on by roll, and the quarter turns found after turning the frames by each of four.
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

FRAMES = 30
ROLLS_DEG = (0, 5, 10, 20, 30, 45, 90, 180, 270)
SURE = 0.35


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tours", type=Path, nargs="+", metavar="TOUR")
    files = find_light_files(light_folder(None))
    detector = Yolox(files["yolox"], 0.2)
    task = VoteTask(files["yolox"], files["mosaic"])
    wanted = [sorted({word for word in coco_words() if word})]
    for tour in parser.parse_args().tours:
        images = read_images(tour)
        for roll_deg in ROLLS_DEG:
            rolled = [roll(image, roll_deg) for image in images]
            found = sum(one.score >= SURE for image in rolled for one in detector.detect([image], wanted)[0])
            print(f"{tour.name}: rolled by {roll_deg} deg: {found} things in {len(images)} frames")
        for quarter_turns in range(4):
            print(f"{tour.name}: turned {quarter_turns} times, back by {find_turns(images, quarter_turns, task)}")


def find_turns(images: list[RgbImage], quarter_turns: int, task: VoteTask) -> int:
    """What the program finds for the images after so many quarter turns."""
    with tempfile.TemporaryDirectory() as folder:
        pictures = []
        for number, image in enumerate(images):
            path = Path(folder) / f"{number:03d}.png"
            cv2.imwrite(str(path), np.rot90(image, quarter_turns)[:, :, ::-1])
            pictures.append(path)
        return decide_turn(task(tuple(pictures)))


def read_images(tour: Path) -> list[RgbImage]:
    """Frames evenly over the tour."""
    if tour.is_dir():
        files = sorted(tour.glob("*.jpg")) + sorted(tour.glob("*.png"))
        at = np.linspace(0, len(files) - 1, FRAMES).round().astype(int)
        read = [cv2.imread(str(files[place])) for place in at]
        return [to_rgb(image_bgr) for image_bgr in read if image_bgr is not None]
    video = cv2.VideoCapture(str(tour))
    every = max(1, int(video.get(cv2.CAP_PROP_FRAME_COUNT)) // FRAMES)
    images: list[RgbImage] = []
    while (decoded := video.read())[0]:
        images.append(to_rgb(decoded[1]))
    return images[::every]


def to_rgb(image_bgr: cv2.typing.MatLike) -> RgbImage:
    return np.ascontiguousarray(image_bgr[:, :, ::-1], dtype=np.uint8)


def roll(image: RgbImage, deg: int) -> RgbImage:
    """The picture of a rolled camera; where it would see more, the edge is repeated."""
    if deg % 90 == 0:
        return np.ascontiguousarray(np.rot90(image, deg // 90))
    height, width = image.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), deg, 1.0)
    return np.asarray(cv2.warpAffine(image, turn, (width, height), borderMode=cv2.BORDER_REPLICATE), dtype=np.uint8)


if __name__ == "__main__":
    main()
