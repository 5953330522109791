from dataclasses import dataclass

import numpy as np
import pycolmap
import pytest

from recon.findings import Finding
from recon.records import SubModel
from roomtour.errors import RoomtourError
from roomtour.files.models import read_sub_models, write_sub_models
from roomtour.files.records import make_table, read_jsonl, write_json, write_jsonl
from trajectories.records import DecisionPoint, Trajectory, TrajectoryPoint, ViewChange, WalkingPath

WALK = Trajectory(
    id="t_m0_t0",
    scene="t",
    model="0",
    unit="m",
    scale_status="assumed",
    points=(TrajectoryPoint(1, 0.1, (0.0, 1e-17, 1.5), -179.5, 3.25),),
    view_changes=(ViewChange(5, 3, 7, -90.5, 90.5, 0.125, True),),
    clusters=((1, 2), ()),
    paths=(WalkingPath(0, (1, 2)),),
    decisions=(DecisionPoint(0, (1, 2), 5, 1, 2, (9, 8), -0.5),),
)


def test_records_come_back_unchanged(tmp_path):
    path = tmp_path / "walks.jsonl"
    assert write_jsonl(path, [WALK, WALK], Trajectory) == 2
    assert read_jsonl(path, Trajectory) == (WALK, WALK)
    finding = Finding("info", "a", "größe", 'quote " and \u2028 line separator')
    for findings in ((), (finding,)):
        write_jsonl(path, findings, Finding)
        assert read_jsonl(path, Finding) == findings


def test_a_bad_line_is_named_and_one_of_an_older_version_says_what_to_do(tmp_path):
    path = tmp_path / "f.jsonl"
    path.write_text('{"severity": "info", "code": "a", "where": "b", "message": "c"}\n{"severity": "loud"}\n')
    with pytest.raises(RoomtourError, match=r"f\.jsonl:2: field severity"):
        read_jsonl(path, Finding)
    path = tmp_path / "f.jsonl"
    path.write_text('{"severity": "info", "code": "a", "text": "' + "long " * 100 + '"}\n')
    with pytest.raises(RoomtourError, match=r"field where is missing.*the same roomtour process") as caught:
        read_jsonl(path, Finding)
    assert "long" not in str(caught.value)


def test_a_value_json_cannot_hold_is_refused_and_the_old_file_stays(tmp_path):
    path = tmp_path / "v.json"
    write_json(path, {"a": 1})
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(path, {"a": float("nan")})
    assert path.read_text() == '{\n  "a": 1\n}\n'


@dataclass(frozen=True)
class _Place:
    x: float


@dataclass(frozen=True)
class _Row:
    name: str
    place: _Place | None
    said: float | str


def test_records_become_structs_and_values_of_no_common_type_json_text():
    table = make_table([_Row("a", _Place(1.5), "far"), _Row("ä", None, 2.0)], _Row)
    assert table.column_names == ["name", "place", "said"]
    assert table.to_pylist() == [
        {"name": "a", "place": {"x": 1.5}, "said": '"far"'},
        {"name": "ä", "place": None, "said": "2.0"},
    ]
    assert make_table([], _Row).num_rows == 0


def two_frames() -> pycolmap.Reconstruction:
    model = pycolmap.Reconstruction()
    camera = pycolmap.Camera(model="SIMPLE_PINHOLE", width=64, height=48, params=[50.0, 32.0, 24.0], camera_id=1)
    model.add_camera_with_trivial_rig(camera)
    for frame in (1, 2):
        image = pycolmap.Image(name=f"{frame:06d}.jpg", keypoints=np.zeros((3, 2)), camera_id=1, image_id=frame)
        model.add_image_with_trivial_frame(image, pycolmap.Rigid3d())
    return model


def test_whether_the_floor_holds_a_model_is_kept(tmp_path):
    models = (SubModel("000/0", ("000",), two_frames(), held_by_floor=True), SubModel("000/1", ("000",), two_frames()))

    write_sub_models(tmp_path, models)

    kept = [(model.name, model.frames, model.held_by_floor) for model in read_sub_models(tmp_path)]
    assert kept == [("000/0", (1, 2), True), ("000/1", (1, 2), False)]
