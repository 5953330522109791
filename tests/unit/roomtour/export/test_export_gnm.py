from __future__ import annotations

import pickle
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.core.pickles import dump_arrays, load_pickle
from roomtour.export.formats.walks.timed import ALONE, BETWEEN, GnmOptions
from tests.support.export.breaking import frames_on_disk
from tests.support.export.made_run import make_run

WALK = Path("trajectories") / "flat_m0_t0_0"


@pytest.fixture
def run(tmp_path: Path) -> RunData:
    return make_run(frames_dir=frames_on_disk(tmp_path / "frames"))


@pytest.fixture
def made(tmp_path: Path, run: RunData) -> Path:
    export_runs([run], "gnm", tmp_path / "made")
    return tmp_path / "made"


def test_arrays_are_the_walk_on_the_floor(made: Path, run: RunData) -> None:
    """The file was written by this test's own process, so the ordinary reader may open it, as the clients do."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = pickle.loads((made / WALK / "traj_data.pkl").read_bytes())
    assert data["position"].shape == (30, 2)
    assert data["position"] == pytest.approx(run.scene.models[0].centers[:, :2])
    for yaw, pose in zip(data["yaw"], run.scene.models[0].world_from_cam.values(), strict=True):
        flat = pose.forward[:2] / np.linalg.norm(pose.forward[:2])
        assert [np.cos(yaw), np.sin(yaw)] == pytest.approx(flat)


def test_walk_is_cut_at_a_gap_and_a_frame_alone_is_counted(tmp_path: Path, run: RunData) -> None:
    (trajectory,) = run.trajectories
    points = tuple(
        replace(p, time_s=p.time_s + 5.0 * (p.frame >= 20) + 5.0 * (p.frame == 30)) for p in trajectory.points
    )
    report = export_runs([replace(run, trajectories=(replace(trajectory, points=points),))], "gnm", tmp_path / "out")
    names = (tmp_path / "out" / "data_splits" / "train" / "traj_names.txt").read_text().split()
    assert names == ["flat_m0_t0_0", "flat_m0_t0_1"]
    lengths = [len(load_pickle(tmp_path / "out" / "trajectories" / name / "traj_data.pkl")["yaw"]) for name in names]
    assert (lengths, report.dropped[ALONE]) == ([19, 10], 1)
    assert validate_export(tmp_path / "out") == []


def test_frames_are_at_equal_times_whatever_the_tour_was_sampled_at(tmp_path: Path, run: RunData) -> None:
    """Sampled twice as densely in its middle, where the camera turned."""
    (trajectory,) = run.trajectories
    times = np.cumsum([0.0, *(1 / 3 if not 10 <= k < 20 else 1 / 6 for k in range(len(trajectory.points) - 1))])
    points = tuple(replace(p, time_s=float(t)) for p, t in zip(trajectory.points, times, strict=True))
    uneven = replace(run, trajectories=(replace(trajectory, points=points),))
    report = export_runs([uneven], "gnm", tmp_path / "out")
    position = load_pickle(tmp_path / "out" / WALK / "traj_data.pkl")["position"]
    kept = [*range(11), 12, 14, 16, 18, *range(20, 30)]
    assert position == pytest.approx(np.array([points[k].position[:2] for k in kept]))
    assert report.dropped[BETWEEN] == 5
    half = export_runs([uneven], "gnm", tmp_path / "half", GnmOptions(period_s=2 / 3))
    assert half.counts["frames"] == 13
    assert yaml.safe_load((tmp_path / "half" / "data_config.yaml").read_text())["roomtour"]["period_s"] == 2 / 3


@given(
    value=arrays(np.float64, array_shapes(max_dims=3, max_side=4), elements=st.floats(allow_nan=False)),
    key=st.text(st.characters(codec="utf-8"), max_size=8),
)
def test_any_array_round_trips_through_pickle(tmp_path_factory, value: np.ndarray, key: str) -> None:
    path = tmp_path_factory.mktemp("pickle") / "a.pkl"
    dump_arrays({key: value}, path)
    theirs = pickle.loads(path.read_bytes())
    assert theirs.keys() == {key}
    assert theirs[key].dtype == np.float64
    assert np.array_equal(theirs[key], value)
    assert np.array_equal(load_pickle(path)[key], value)
    theirs[key] += 0.0


@pytest.mark.parametrize("protocol", [3, 4])
@pytest.mark.parametrize("order", ["C", "F"])
def test_pickles_of_numpy_itself_are_read(tmp_path: Path, protocol: int, order) -> None:
    wanted = {"position": np.asarray(np.arange(6.0).reshape(3, 2), order=order), "yaw": np.zeros(3, dtype=np.float32)}
    (tmp_path / "a.pkl").write_bytes(pickle.dumps(wanted, protocol=protocol))
    back = load_pickle(tmp_path / "a.pkl")
    assert np.array_equal(back["position"], wanted["position"])
    assert np.array_equal(back["yaw"], wanted["yaw"])


class Evil:
    def __reduce__(self):
        return (print, ("this must never run",))


def test_pickle_that_would_run_code_is_refused(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (made / WALK / "traj_data.pkl").write_bytes(pickle.dumps({"position": Evil()}))
    assert any("builtins.print" in problem.found for problem in validate_export(made))
    assert "never run" not in capsys.readouterr().out
