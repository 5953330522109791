"""What a video shows, by the real small networks on pictures that packages bring along; skipped without weights."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from instructions.perception.interfaces import FoundBox
from roomtour.cli import main
from roomtour.collect.gather import LEDGER, collect
from roomtour.collect.large_look import judge_picture
from roomtour.collect.look import LightLook, judge_look
from roomtour.collect.records import CollectOptions, Judgement
from tests.support.paths import DATA
from tests.support.tour_videos import Picture, read_pictures, write_video

LOOSE = CollectOptions(min_minutes=0.0, min_short_side=100.0)


def glide_over(picture: Picture, seconds: float = 8.0) -> list[Picture]:
    """A camera that moves over a picture."""
    high, wide = picture.shape[0] * 3 // 4, picture.shape[1] * 3 // 4
    steps = range(int(10 * seconds))
    shift = [
        (int((picture.shape[0] - high) * n / len(steps)), int((picture.shape[1] - wide) * n / len(steps)))
        for n in steps
    ]
    size = (480, 2 * round(240 * high / wide))
    return [cv2.resize(picture[y : y + high, x : x + wide], size).astype(np.uint8) for y, x in shift]


@pytest.fixture(scope="module")
def videos(tmp_path_factory) -> Path:
    """A home, somebody before the camera with that home behind, and a palace under the sky."""
    folder = tmp_path_factory.mktemp("shown")
    walk = DATA / "short_walk.mp4"
    (folder / "home.mp4").write_bytes(walk.read_bytes())
    matplotlib = pytest.importorskip("matplotlib")
    datasets = pytest.importorskip("sklearn.datasets")
    portrait = cv2.imread(str(Path(matplotlib.get_data_path()) / "sample_data" / "grace_hopper.jpg"))
    assert portrait is not None
    portrait = cv2.resize(portrait, (200, 236))[:, :, ::-1]
    behind = [cv2.resize(one, (480, 270)) for one in read_pictures(walk)[:90]]
    for number, one in enumerate(behind):
        x = 140 + int(12 * np.sin(number / 9))
        one[34:, x : x + 200] = portrait
    write_video(folder / "talks.mp4", [one.astype(np.uint8) for one in behind])
    write_video(folder / "palace.mp4", glide_over(datasets.load_sample_image("china.jpg")))
    return folder


def test_people_and_the_open_air_are_seen_and_a_home_is_kept(videos, light_models, tmp_path):
    found = collect([videos], tmp_path, replace(LOOSE, max_still_share=1.0), networks=LightLook(light_models))
    assert {one.id: one.code for one in found.rejected} == {"talks": "people", "palace": "outdoors"}
    home = next(one for one in found.kept if one.id == "home")
    assert home.path.endswith("home.mp4")


def test_without_networks_nobody_is_rejected_for_what_nobody_looked_at(videos, tmp_path):
    found = collect([videos], tmp_path, replace(LOOSE, max_still_share=1.0), networks=None)
    assert not {one.code for one in found.rejected} & {"people", "outdoors", "no-home"}


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({}, ""),
        ({"people_share": 0.41}, "people"),
        ({"people_share": 0.4}, ""),
        ({"outdoors_share": 0.51}, "outdoors"),
        ({"outdoors_share": 0.5}, ""),
        ({"indoors_share": 0.29}, "no-home"),
        ({"indoors_share": 0.3}, ""),
    ],
)
def test_each_bar_has_two_sides(changed, code):
    figures = {"people_share": 0.0, "outdoors_share": 0.0, "indoors_share": 0.9, **changed}
    assert judge_look(Judgement("a", "look", "", figures=figures), CollectOptions()).code == code


class Words:
    """Scores a picture's brightest channel: red for rooms, green for the open air, blue for text."""

    def embed(self, images):
        return np.array([image.reshape(-1, 3).mean(axis=0) for image in images], np.float32)

    def score(self, embeddings, texts):
        hints = (("inside", "indoors"), ("street", "landscape"), ("text", "title", "document"))

        def fit(row, text: str) -> float:
            scores = [row[axis] / 10 for axis, some in enumerate(hints) if any(hint in text for hint in some)]
            return max(scores, default=-20.0)

        return np.array([[fit(row, text) for text in texts] for row in embeddings])


class Boxes:
    """Finds a person in the left half of a picture whose first pixel is white."""

    def detect(self, images, labels):
        assert labels == [["person"]] * len(images)
        half = [(0.0, 0.0, image.shape[1] / 2, float(image.shape[0])) for image in images]
        return [
            [FoundBox("person", 0.9, box)] if image[0, 0].min() == 255 else []
            for image, box in zip(images, half, strict=True)
        ]


@pytest.mark.parametrize(
    ("color", "shown"),
    [((255, 0, 0), (0.0, 0, 1, 0)), ((0, 255, 0), (0.0, 1, 0, 0)), ((0, 0, 255), (0.0, 0, 0, 1))],
)
def test_large_models_tell_kinds_of_pictures_apart(color, shown):
    picture = np.full((40, 60, 3), color, np.uint8)
    looked = judge_picture(picture, Words(), Boxes())
    assert [round(value) for value in (looked.outdoors, looked.indoors, looked.text)] == list(shown[1:])
    assert looked.person == 0.0
    picture[0, 0] = 255
    assert judge_picture(picture, Words(), Boxes()).person == 0.5


def test_text_has_a_bar_of_its_own():
    figures = {"people_share": 0.0, "outdoors_share": 0.0, "indoors_share": 0.9}
    codes = [
        judge_look(Judgement("a", "look", "", figures={**figures, **more}), CollectOptions()).code
        for more in ({"text_share": 0.51}, {"text_share": 0.5}, {})
    ]
    assert codes == ["text-slides", "", ""]


def test_large_models_are_run_by_the_command(videos, tmp_path, capfd):
    """Tiny checkpoints that know nothing: what is asserted is that they are loaded, asked and told apart."""
    pytest.importorskip("transformers", reason="needs the extra models")
    from tests.support.doubles.made_checkpoints import write_checkpoint

    models = {
        name: {"model": str(write_checkpoint(kind, tmp_path / kind))}
        for name, kind in {"tags": "siglip", "boxes": "mm-grounding-dino"}.items()
    }
    vision = {**models, "depth": {"model": ""}, "device": "cpu", "box_threshold": 0.02}
    (tmp_path / "config.yaml").write_text(json.dumps({"vision": vision}))
    words = [
        "collect",
        str(videos / "home.mp4"),
        "--out",
        str(tmp_path / "set"),
        "--config",
        str(tmp_path / "config.yaml"),
    ]
    assert main([*words, "--min-minutes", "0", "--min-short-side", "100", "--perception", "models"]) == 0
    rows = [json.loads(line) for line in (tmp_path / "set" / LEDGER).read_text().splitlines()]
    (looked,) = [row for row in rows if row["step"] == "look"]
    assert looked["figures"]["looks"] == 24
    assert looked["key"].endswith("-LargeLook")
    assert "not_looked_at" not in capfd.readouterr().out
