"""What a video shows, by the real small networks on pictures that packages bring along; skipped without weights."""

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from roomtour.cli import main
from roomtour.collect.funnel import LEDGER
from roomtour.collect.gather import collect
from roomtour.collect.look import LightLook
from roomtour.collect.records import CollectOptions
from tests.support.paths import DATA
from tests.support.tour_videos import Picture, read_pictures, write_video

LOOSE = CollectOptions(min_seconds=0.0, min_short_side=100.0)


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
    words = ["collect", str(videos / "palace.mp4"), "--out", str(tmp_path / "set")]
    words += ["--config", str(tmp_path / "config.yaml"), "--max-still-share", "1"]
    assert main([*words, "--min-seconds", "0", "--min-short-side", "100", "--perception", "models"]) == 0
    rows = [json.loads(line) for line in (tmp_path / "set" / LEDGER).read_text().splitlines()]
    (looked,) = [row for row in rows if row["step"] == "look"]
    assert looked["figures"]["looks"] == 24
    assert looked["key"].endswith("-LargeLook")
    assert "not_looked_at" not in capfd.readouterr().out
