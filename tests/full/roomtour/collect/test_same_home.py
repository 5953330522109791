"""Videos of one home are found by vectors of their pictures, and those of other homes are not joined to them."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from instructions.perception.interfaces import RgbImage
from instructions.perception.models.light.embedding import PictureEmbedding
from instructions.perception.models.light.folder import find_picture_embedding
from roomtour.collect.gather import collect
from roomtour.collect.large_look import LargeLook
from roomtour.collect.look import LightLook, Looked, embed_video, look_at_video
from roomtour.collect.records import Candidate, CollectOptions
from roomtour.collect.same_home import (
    Vectors,
    group_homes,
    list_alike,
    measure_likeness,
    name_homes_by_pictures,
    pick_pictures,
    without_guess,
)
from roomtour.collect.same_place import count_common, find_points
from roomtour.config import Config
from roomtour.pipeline import process_tour
from roomtour.sources import Tour
from tests.support.paths import DATA
from tests.support.tour_videos import read_pictures, write_video

LOOSE = CollectOptions(min_minutes=0.0, min_short_side=100.0)


def turned(degrees: float, pictures: int = 6) -> Vectors:
    """Pictures that are all alike, so far from those at 0 degrees."""
    angle = np.radians(degrees)
    return np.tile(np.array([np.cos(angle), np.sin(angle)], np.float32), (pictures, 1))


def test_likeness_is_that_of_the_best_pictures():
    assert measure_likeness(turned(0), turned(60)) == pytest.approx(0.5, abs=1e-6)
    mixed = np.concatenate([turned(90, 40), turned(0, 5)])
    assert measure_likeness(turned(0), mixed) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(("least", "pairs"), [(0.86, [("a", "b")]), (0.87, [])])
def test_the_bar_of_likeness_has_two_sides(least, pairs):
    assert list_alike({"a": turned(0), "b": turned(30)}, least) == pairs  # 0.866


def test_each_video_is_compared_with_those_most_like_it():
    near = {f"v{k}": turned(float(k)) for k in range(8)}
    pairs = list_alike(near, 0.5)
    assert ("v0", "v7") not in pairs
    assert all(sum(name in pair for pair in pairs) >= 5 for name in near)


def test_a_video_of_too_few_pictures_is_like_none():
    assert list_alike({"a": turned(0, 4), "b": turned(0, 4)}, 0.5) == []


POINTS = {("a", "b"): 20, ("b", "c"): 40, ("a", "c"): 0, ("c", "d"): 19}


def group(homes: dict[str, str], least: float = 20.0) -> list[tuple[str, ...]]:
    return group_homes(list(POINTS), homes, lambda one, other: POINTS[one, other], least)


def test_shared_points_join_and_the_bar_has_two_sides():
    assert group({}) == [("a", "b", "c")]  # a and c show other rooms of it
    assert group({}, 19.0) == [("a", "b", "c", "d")]
    assert group({}, 21.0) == [("b", "c")]


def test_homes_of_different_names_are_never_joined():
    assert group({"a": "flat-1", "b": "flat-2"}) == [("b", "c")]
    assert group({"a": "flat-1", "c": "flat-2"}) == [("a", "b")]


def test_what_a_list_says_stays_and_is_taken_over():
    candidates = [Candidate("a"), Candidate("b", home="flat-12", home_source="list"), Candidate("c"), Candidate("d")]
    named = name_homes_by_pictures(candidates, [("a", "b", "c")])
    assert [one.home for one in named] == ["flat-12"] * 3 + [""]
    assert [one.home_source for one in named] == ["pictures", "list", "pictures", ""]
    assert [without_guess(one) for one in named] == candidates


def test_pictures_are_picked_apart_from_each_other():
    one = np.eye(6, dtype=np.float32)
    assert pick_pictures(one, one)[:2] == [(0, 0), (2, 2)]
    assert len(pick_pictures(one, one)) == 4


def test_two_pictures_of_one_place_share_points_and_others_do_not(short_walk):
    pictures = [cv2.cvtColor(one, cv2.COLOR_RGB2GRAY) for one in read_pictures(short_walk)]
    here, moved, elsewhere = (find_points(pictures[k].astype(np.uint8)) for k in (0, 12, len(pictures) - 1))
    assert count_common(here, moved) > 40
    assert count_common(here, elsewhere) < 20
    assert count_common(here, find_points(np.zeros((90, 160), np.uint8))) == 0


@pytest.fixture(scope="module")
def embeds(light_models) -> PictureEmbedding:
    path = find_picture_embedding(light_models)
    if path is None:
        pytest.skip("needs the light model that gives vectors of pictures")
    return PictureEmbedding(path)


def test_vectors_have_length_one_and_know_a_picture_again(embeds, short_walk):
    pictures = read_pictures(short_walk)[::80]
    dim = [(picture * 0.7).astype(np.uint8) for picture in pictures]
    one, other = embeds.embed(pictures), embeds.embed(dim)
    assert np.linalg.norm(one, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert (one @ other.T).argmax(axis=1).tolist() == list(range(len(pictures)))


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
    found = collect([tmp_path / "films"], tmp_path / "set", replace(LOOSE, max_flat_share=1.0), embeds=embeds)
    homes = {one.id: one.home for one in found.kept}
    assert homes["first"] == homes["second"] != ""
    assert homes["other"] == ""
    assert [finding.code for finding in found.findings].count("collect.same_home") == 1
    none = collect([], tmp_path / "set", replace(LOOSE, max_flat_share=1.0, same_home=1.0), is_recheck=True)
    assert {one.home for one in none.kept} == {""}
    again = collect([], tmp_path / "set", replace(LOOSE, max_flat_share=1.0), is_recheck=True)
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


def test_nothing_is_embedded_of_a_run_without_frames(tmp_path, embeds):
    assert len(embed_video(tmp_path, embeds)["vectors"]) == 0
