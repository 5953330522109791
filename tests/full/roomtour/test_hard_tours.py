"""The same walk filmed badly: dark, blurred, blank, crowded, overlaid, upright, on its side, in short shots.

A hard tour may give less, but what it gives is true and what it lacks is told.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

import roomtour
from recon.evaluate import PoseError, pose_error
from recon.pose_sources.match import PictureIndex, match_poses
from recon.pose_sources.read import read_tum
from recon.records import Scene, SceneModel
from roomtour.cli import main
from tests.support import hard_tours as hard
from tests.support.worlds.nonsense import write_nonsense

PATH_M = 3.0
"""Some of what is walked in the first 8 s; errors are judged by it."""


def reconstruct(video: Path, *flags: str) -> Scene:
    run = video.with_suffix("")
    assert main(["process", str(video), "--out", str(run), "--workers", "1", "--until", "scene", *flags]) == 0
    return roomtour.Run(run).scene


@pytest.fixture(scope="module")
def scene_of(short_walk: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[hard.Change], Scene]:
    """The scene of the changed walk; each change is reconstructed once."""

    @cache
    def reconstruct_once(change: hard.Change) -> Scene:
        folder = tmp_path_factory.mktemp("hard")
        return reconstruct(hard.change_pictures(folder / "tour.mp4", short_walk, change))

    return reconstruct_once


def error_of(model: SceneModel, scene: Scene, walk: Path) -> PoseError:
    truth = match_poses(read_tum(walk.with_suffix("") / "trajectory.tum"), scene.frames, PictureIndex(()))
    return pose_error(model.world_from_cam, truth.world_from_cam)


def codes(scene: Scene) -> set[str]:
    return {finding.code for finding in scene.findings}


def measure_lean_deg(error: PoseError) -> float:
    return float(np.degrees(np.arccos(min(1.0, error.reference_from_estimate.rotation[2, 2]))))


@pytest.mark.parametrize(
    ("change", "least_share"),
    [
        (hard.dark, 0.95),
        (hard.blank_for_a_second, 0.85),
        (hard.person, 0.95),
        (hard.overlaid, 0.95),
        (hard.portrait, 0.8),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_hard_tour_is_true_as_far_as_it_goes(short_walk, scene_of, change, least_share):
    scene = scene_of(change)
    assert scene.registered >= least_share * len(scene.frames)
    assert len(scene.models) <= 2
    for model in scene.models:
        assert error_of(model, scene, short_walk).largest < 0.02 * PATH_M


def test_blank_frames_get_no_pose_and_are_named(scene_of):
    scene = scene_of(hard.blank_for_a_second)
    blank = {frame.index for frame in scene.frames if 3.0 <= frame.time_s < 4.0}
    assert blank
    assert all(blank.isdisjoint(model.frames) for model in scene.models)
    assert {"features.few_keypoints", "scene.unregistered"} <= codes(scene)


def test_what_moves_before_the_camera_is_not_part_of_the_scene(scene_of):
    scene = scene_of(hard.person)
    tracks = scene.models[0].tracks
    times_s = np.array([scene.frame_by_index[frame].time_s for frame in tracks.obs_frame.tolist()])
    boxes = np.array([hard.person_box(time_s) for time_s in times_s])
    x, y = tracks.obs_xy.T
    inner = 8  # keypoints at the outline see the wall as well
    on_person = (
        (x > boxes[:, 0] + inner) & (x < boxes[:, 2] - inner) & (y > boxes[:, 1] + inner) & (y < boxes[:, 3] - inner)
    )
    area = (110 - 2 * inner) * (210 - 2 * inner) / (480 * 270)
    assert on_person.mean() < 0.15 * area


def test_nothing_of_the_scene_lies_on_bars_or_letters(scene_of):
    scene = scene_of(hard.overlaid)
    assert {"mask.bars", "mask.watermark"} <= codes(scene)
    x, y = scene.models[0].tracks.obs_xy.T
    assert y.min() > 30
    assert y.max() < 240
    assert not ((x > 150) & (x < 320) & (y > 65) & (y < 90)).any()


def test_a_tour_on_its_side_stands_upright_and_is_told(short_walk, scene_of):
    scene = scene_of(hard.sideways)
    assert "scene.camera_rolled" in codes(scene)
    error = error_of(scene.models[0], scene, short_walk)
    assert error.largest < 0.02 * PATH_M
    assert measure_lean_deg(error) < 3.0
    (message,) = [finding.message for finding in scene.findings if finding.code == "scene.camera_rolled"]
    assert "--input.rotate 90" in message


def test_shots_of_six_seconds_are_kept_apart_and_each_is_true(short_walk, tmp_path):
    """Two stretches of the walk in another order, with a hard cut between them."""
    stretches = [(8.0, 14.0), (0.0, 6.0)]
    video = hard.write(tmp_path / "tour.mp4", chain.from_iterable(shots(short_walk, stretches)))
    scene = reconstruct(video)
    assert "shots.cuts" in codes(scene)
    assert {frame.shot for frame in scene.frames} == {0, 1}
    assert scene.registered >= 0.85 * len(scene.frames)
    truth = read_tum(short_walk.with_suffix("") / "trajectory.tum")
    for number, (begin_s, _) in enumerate(stretches):
        original = [
            type(frame)(**{**vars(frame), "time_s": frame.time_s - 6.0 * number + begin_s})
            for frame in scene.frames
            if frame.shot == number
        ]
        true = match_poses(truth, original, PictureIndex(())).world_from_cam
        for model in scene.models:
            if len(true.keys() & model.world_from_cam.keys()) >= 3:
                assert pose_error(model.world_from_cam, true).largest < 0.05


def shots(walk: Path, stretches: list[tuple[float, float]]) -> Iterator[Iterator[tuple[float, np.ndarray]]]:
    for number, (begin_s, end_s) in enumerate(stretches):
        shift_s = 6.0 * number - begin_s
        yield ((time_s + shift_s, image) for time_s, image in list(hard.pictures(walk, begin_s, end_s)))


@pytest.mark.parametrize("name", ["gray noise", "frozen picture", "slide show", "scrolling text", "confetti"])
def test_it_is_refused_in_words(name: str, tmp_path: Path, capsys):
    video = write_nonsense(name, tmp_path)
    assert (
        main(["process", str(video), "--out", str(tmp_path / name), "--until", "scene", "--perception", "landmarks"])
        == 3
    )
    assert "Do not trust: " in capsys.readouterr().out


def test_learned_keypoints_make_no_scene_of_noise(light_models: Path, tmp_path: Path, capsys):
    video, run = write_nonsense("gray noise", tmp_path), tmp_path / "run"
    flags = ["--until", "scene", "--perception", "light", "--vision.folder", str(light_models)]
    assert main(["process", str(video), "--out", str(run), *flags]) == 3
    assert "Do not trust: none of" in capsys.readouterr().out
