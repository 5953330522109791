import shutil
import sys

import numpy as np
import pytest

from recon.upright.scene_io import read_scene
from roomtour.cli import main
from roomtour.errors import RoomtourError
from roomtour.kinds import KIND_NAMES
from roomtour.run import Run
from roomtour.view.tour import load_tour, read_models
from tests.support.runs.made_tour import make_run
from tests.support.runs.run_folder import STAGES_RUN, write_run


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("view") / "run"
    (folder / "frames").mkdir(parents=True)
    data = make_run(folder / "frames", models=2)
    return write_run(folder, data), data


def test_a_finished_run_is_shown_whole(made):
    folder, data = made
    tour = load_tour(Run(folder), 10_000)
    assert tour.notices == ()
    assert [model.name for model in tour.models] == ["0", "1"]
    assert len(tour.objects) == len(data.objects)
    assert sum(map(len, tour.seen.values())) == len(data.observations)
    assert {told.id for told in tour.instructions} == {told.id for told in data.instructions if told.accepted}
    assert [room.label for room in tour.rooms] == ["hall", "hall"]
    assert list(tour.number_of.values()) == list(range(1, len(data.objects) + 1))
    folder, _ = made
    truth = read_scene(folder / "scene")
    frames, models = read_models(folder / "scene", 10_000)
    assert frames == truth.frames
    for model, expected in zip(models, truth.models, strict=True):
        assert model.frames == expected.frames
        np.testing.assert_allclose(model.centers, expected.centers, atol=1e-9)
        order = np.lexsort(model.xyz.T)
        expected_order = np.lexsort(expected.tracks.xyz.astype(np.float32).T)
        np.testing.assert_allclose(model.xyz[order], expected.tracks.xyz[expected_order], atol=1e-5)
        np.testing.assert_array_equal(model.rgb[order], expected.tracks.rgb[expected_order])
    folder, _ = made
    (whole, _), (thin, _), (again, _) = (read_models(folder / "scene", limit)[1] for limit in (10_000, 500, 500))
    assert len(thin.xyz) == 500
    assert thin.points_in_model == len(whole.xyz)
    assert {tuple(point) for point in thin.xyz.tolist()} <= {tuple(point) for point in whole.xyz.tolist()}
    np.testing.assert_array_equal(thin.xyz, again.xyz)


@pytest.mark.parametrize("last", ["sample", "sfm", "scene", "trajectories", "perception"])
def test_an_unfinished_run_shows_what_there_is(tmp_path, made, last):
    source, data = made
    shutil.copytree(source / "frames", tmp_path / "frames")
    asked = [name for name in STAGES_RUN if name not in KIND_NAMES or name == "navigation"]  # its options name no kind
    done = asked[: asked.index(last) + 1]
    tour = load_tour(Run(write_run(tmp_path, data, stages=done)), 1000)
    assert len(tour.notices) == 1
    assert ", ".join(asked[len(done) :]) in tour.notices[0]
    assert len(tour.frames) == len(data.scene.frames)
    assert bool(tour.models) == ("scene" in done)
    assert bool(tour.trajectories) == ("trajectories" in done)
    assert bool(tour.objects) == ("perception" in done)
    assert tour.instructions == ()


def test_a_file_that_is_missing_or_broken_is_named_and_left_out(tmp_path, made, subtests):
    for file in ("perception/objects.jsonl", "navigation/rows.jsonl", "plan/rooms.jsonl", "scene/scene.json"):
        with subtests.test(file):
            write_run(tmp_path, made[1])
            (tmp_path / file).write_text('{"from": "the future"}\n')
            broken = load_tour(Run(tmp_path), 1000)
            assert any(file in notice for notice in broken.notices)
            assert broken.frames
            (tmp_path / file).unlink()
            assert any(file in notice for notice in load_tour(Run(tmp_path), 1000).notices)


def test_a_model_cannot_be_read_from_outside_the_run(tmp_path, made):
    write_run(tmp_path, made[1])
    scene = tmp_path / "scene/scene.json"
    scene.write_text(scene.read_text().replace('"name": "1"', '"name": "../../elsewhere"'))
    with pytest.raises(RoomtourError, match="leaves the run folder"):
        read_models(tmp_path / "scene", 1000)


def test_instructions_belong_to_the_frames_of_their_way_and_model(made):
    tour = load_tour(Run(made[0]), 1000)
    told = tour.instructions[0]
    assert told in tour.instructions_at(told.views[1], told.model)
    assert told not in tour.instructions_at(told.views[1], "elsewhere")
    assert told not in tour.instructions_at(max(told.views) + 1, told.model)
    assert tour.model("1") is tour.models[1]
    with pytest.raises(RoomtourError, match="this run has 0, 1"):
        tour.model("7")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("command") / "run"
    (folder / "frames").mkdir(parents=True)
    return write_run(folder, make_run(folder / "frames", pictures=False))


def test_what_cannot_be_shown_is_one_line(run, capsys, monkeypatch, subtests):
    monkeypatch.setitem(sys.modules, "viser", None)
    for arguments, said in (
        (["--model", "9"], "--model 9: no such model; this run has 0"),
        (["--points", "0"], "--points 0"),
        (["--frames", "0"], "--frames 0"),
        ([], 'pip install "roomtour[view]"'),
    ):
        with subtests.test(said):
            assert main(["view", str(run), *arguments]) == 1
            (line,) = capsys.readouterr().err.splitlines()
            assert said in line
