import pytest

from recon.findings import Finding
from roomtour.errors import RoomtourError
from roomtour.files.records import read_jsonl, write_json, write_jsonl
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


def test_a_bad_line_is_named(tmp_path):
    path = tmp_path / "f.jsonl"
    path.write_text('{"severity": "info", "code": "a", "where": "b", "message": "c"}\n{"severity": "loud"}\n')
    with pytest.raises(RoomtourError, match=r"f\.jsonl:2: field severity"):
        read_jsonl(path, Finding)


def test_a_file_of_an_older_version_is_refused_in_one_line_that_says_what_to_do(tmp_path):
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
