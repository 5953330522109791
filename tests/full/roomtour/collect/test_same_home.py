"""Videos of one home are found by vectors of their pictures, and those of other homes are not joined to them."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from instructions.perception.interfaces import RgbImage
from instructions.perception.models.light.embedding import PictureEmbedding
from instructions.perception.models.light.folder import find_light_file
from roomtour.collect.gather import collect
from roomtour.collect.homes import count_common, find_points
from roomtour.collect.look import LargeLook, LightLook, Looked, look_at_video
from roomtour.collect.records import Candidate, CollectOptions
from roomtour.config import Config
from roomtour.pipeline import process_tour
from roomtour.sources import Tour
from tests.support.paths import DATA
from tests.support.tour_videos import read_pictures, write_video

LOOSE = CollectOptions(min_seconds=0.0, min_short_side=100.0)


def test_two_pictures_of_one_place_share_points_and_others_do_not(short_walk):
    pictures = [cv2.cvtColor(one, cv2.COLOR_RGB2GRAY) for one in read_pictures(short_walk)]
    here, moved, elsewhere = (find_points(pictures[k].astype(np.uint8)) for k in (0, 12, len(pictures) - 1))
    assert count_common(here, moved) > 40
    assert count_common(here, elsewhere) < 20
    assert count_common(here, find_points(np.zeros((90, 160), np.uint8))) == 0


@pytest.fixture(scope="module")
def embeds(light_models) -> PictureEmbedding:
    path = find_light_file("embedding", light_models)
    if path is None:
        pytest.skip("needs the light model that gives vectors of pictures")
    return PictureEmbedding(path)


def test_two_films_of_one_home_get_one_name(embeds, tmp_path):
    """The same rooms, dimmer, smaller and later, too little alike to be the same footage; and bare walls elsewhere.

    What was found is kept: a recheck finds the same without a video, and nothing where that is turned off.
    """
    data = DATA
    (tmp_path / "films").mkdir()
    walk = read_pictures(data / "short_walk.mp4")
    half = len(walk) // 2
    write_video(tmp_path / "films" / "first.mp4", walk[: half + 20])
    write_video(
        tmp_path / "films" / "second.mp4", [(one[:264:2, ::2] * 0.8).astype(np.uint8) for one in walk[half + 20 :]]
    )
    write_video(tmp_path / "films" / "other.mp4", read_pictures(data / "tiled_walk.mp4")[:120])
    found = collect([tmp_path / "films"], tmp_path / "set", LOOSE, embeds=embeds)
    homes = {one.id: one.home for one in found.kept}
    assert homes["first"] == homes["second"] != ""
    assert homes["other"] == ""
    assert [finding.code for finding in found.findings].count("collect.same_home") == 1
    none = collect([], tmp_path / "set", replace(LOOSE, same_home=1.0), is_recheck=True)
    assert {one.home for one in none.kept} == {""}
    again = collect([], tmp_path / "set", LOOSE, is_recheck=True)
    assert {one.id: one.home for one in again.kept} == homes


class Counts:
    """Sees nothing in the pictures that it counts."""

    def __init__(self, looks: int, every_s: float):
        self.looks, self.every_s, self.seen = looks, every_s, 0

    def look(self, image: RgbImage) -> Looked:
        self.seen += 1
        return Looked(0.0, 0.0, 1.0)


def test_more_pictures_of_a_long_video_are_looked_at(short_walk, tmp_path):
    """Fifteen seconds."""
    process_tour(Tour("walk", short_walk, tmp_path), Config(perception="landmarks"), until="sample")
    seen = []
    for looks, every_s in ((4, 0.0), (4, 1.0), (24, 5.0)):
        counts = Counts(looks, every_s)
        assert look_at_video(Candidate("walk"), tmp_path, counts, LOOSE).code == ""
        seen.append(counts.seen)
    assert seen == [4, 16, 24]
    assert (LargeLook.every_s, LightLook.every_s) == (5.0, 0.0)
