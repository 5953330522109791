from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import pytest

from recon.conventions import compass_yaw_deg
from roomtour.export import export_runs, validate_export
from roomtour.export.core.pickles import load_pickle, open_pickle
from roomtour.export.formats.walks.roomtour3d.write import GEOMETRY_FILE, Roomtour3dOptions
from tests.support.export.breaking import frames_on_disk
from tests.support.export.made_run import level_camera, make_instruction, make_run, make_trajectory

RECORDS = "p1_train_colmap_trajectory_tour3d.json"
DESCRIPTIONS = "p1_train_reformat.json"


def read(folder: Path, name: str = RECORDS) -> Any:
    return json.loads((folder / name).read_text())


@pytest.fixture
def made(tmp_path: Path) -> Path:
    export_runs([make_run()], "roomtour3d", tmp_path / "made")
    return tmp_path / "made"


def test_record_is_what_the_format_asks_for(made: Path) -> None:
    first, second = read(made)
    assert first == {
        "path_id": "flat_m0_t0_0000",
        "videoId": "flat",
        "longId": "flat_m0|17%3%11",
        "optView": "flat_output_frame_0017.png",
        "path": [f"flat_output_frame_{f:04d}.png" for f in (9, 12, 15, 17, 19, 21)],
        "heading": pytest.approx(math.pi / 2),
        "instructions": ["Walk ahead, then turn left.", "Go on and turn left at the end."],
    }
    assert second["longId"] == "flat_m0|24%9%2"
    assert second["instructions"] == ["Turn left and walk to the end."]
    assert len(second["path"]) == 15
    assert second["path"][0] == "flat_output_frame_0013.png"
    assert second["path"][-1] == "flat_output_frame_0030.png"


def test_descriptions_are_questions_with_ordered_images(made: Path) -> None:
    (item,) = read(made, DESCRIPTIONS)
    assert (item["videoId"], item["type"]) == ("flat", "video_desc")
    assert [image["image_id"] for image in item["image_info"]] == [f"output_frame_{f:04d}.png" for f in (1, 4, 8, 12)]
    (question,) = item["annotation"]
    assert question["answers"] == ["You walk ahead past a large red object."]


def test_geometry_holds_every_registered_frame_in_metres_and_compass_degrees(made: Path) -> None:
    geometry = load_pickle(made / GEOMETRY_FILE)
    run = make_run()
    assert list(geometry) == ["flat_m0"]
    assert list(geometry["flat_m0"]) == list(range(1, 31))
    assert geometry["flat_m0"][1] == {"pos": [0.0, 0.0, 1.5], "yaw": pytest.approx(90.0), "pitch": pytest.approx(0.0)}
    for frame, pose in run.scene.models[0].world_from_cam.items():
        assert geometry["flat_m0"][frame]["pos"] == pytest.approx(pose.center)
        assert geometry["flat_m0"][frame]["yaw"] == pytest.approx(compass_yaw_deg(pose))


def test_positive_view_missing_from_the_text_is_put_into_the_path(tmp_path: Path) -> None:
    run = make_run()
    text = make_instruction(run.trajectories[0], 0, (9, 13, 19, 21), "Turn left.")
    export_runs([replace(run, rows={"navigation": (text,)})], "roomtour3d", tmp_path / "out")
    (record,) = read(tmp_path / "out")
    assert [int(view[-8:-4]) for view in record["path"]] == [9, 13, 17, 19, 21]


def test_decisions_that_do_not_fit_are_dropped_and_counted(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for number, (decisions, frames, reason) in enumerate(
        (
            ([(17, (3,))], (17, 19, 20, 22), "decision on no instruction's way"),
            ([(17, (3,))], (16, 17), "decision whose way has fewer than 4 views"),
            ([(17, (15,))], (13, 14, 15, 17), "decision without a wrong view but the one stood on"),
            ([(40, (3,))], (13, 14, 15, 17), "decision whose right view has no position or heading"),
            ([(17, (3,)), (17, (3,))], (13, 14, 15, 17), "decision with the same candidates as another"),
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        with subtests.test(str(reason)):
            run = make_run()
            trajectory = make_trajectory("flat", run.scene.models[0], decisions)
            run = replace(
                run, trajectories=(trajectory,), rows={"navigation": (make_instruction(trajectory, 0, frames, "Go."),)}
            )
            report = export_runs([run], "roomtour3d", folder / "out")
            assert report.dropped[reason] == 1
            assert reason in (folder / "out" / "README.md").read_text()
            assert validate_export(folder / "out") == []


def test_frames_without_a_heading_are_left_out_and_counted(tmp_path: Path) -> None:
    run = make_run()
    cameras = dict(run.scene.models[0].world_from_cam) | {3: level_camera(0.6, 0.0, 0.0, elevation=-90.0)}
    model = replace(run.scene.models[0], world_from_cam=cameras)
    report = export_runs([replace(run, scene=replace(run.scene, models=(model,)))], "roomtour3d", tmp_path / "out")
    assert report.dropped["frame that looks straight up or down"] == 1
    assert 3 not in load_pickle(tmp_path / "out" / GEOMETRY_FILE)["flat_m0"]
    assert read(tmp_path / "out")[0]["longId"] == "flat_m0|17%11"
    assert validate_export(tmp_path / "out") == []


def test_a_relative_tour_among_others_gives_its_descriptions_only_with_a_warning(tmp_path: Path) -> None:
    tours = [make_run("a", status="relative"), make_run("b", status="metric")]
    report = export_runs(tours, "roomtour3d", tmp_path / "out")
    assert {record["videoId"] for record in read(tmp_path / "out")} == {"b"}
    texts = tours[0].instructions
    told = [row for row in texts if row.accepted and row.kind == "instruction"]
    assert report.dropped["text of a way without a scale"] == len(told) > 0
    described = {item["videoId"] for item in read(tmp_path / "out", DESCRIPTIONS)}
    assert described == {"a", "b"}
    assert [finding.code for finding in report.findings] == ["export.no_scale"]


class Evil:
    def __reduce__(self):
        return (print, ("this must never run",))


def test_geometry_that_would_run_code_is_refused(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (made / GEOMETRY_FILE).write_bytes(pickle.dumps({"flat_m0": Evil()}))
    problems = validate_export(made)
    assert any("builtins.print" in problem.found for problem in problems)
    assert "never run" not in capsys.readouterr().out


def test_pickle_writer_streams_what_pickle_reads(tmp_path: Path) -> None:
    values = {"a": {1: {"pos": [0.5, -2.0, 1e300], "yaw": -0.0}}, "ä|": {}, "c": {"big": 2**70, "none": None}}
    with open_pickle(tmp_path / "x.pkl") as add:
        for key, value in values.items():
            add(key, value)
    assert load_pickle(tmp_path / "x.pkl") == values == pickle.loads((tmp_path / "x.pkl").read_bytes())


def test_descriptions_of_frames_without_poses_are_kept(tmp_path: Path) -> None:
    seen = make_run().instructions[0]
    told = replace(
        seen, id="u", model="", trajectory="", kind="description", views=(1, 2, 3), text="There is a sofa on the left."
    )
    untold = replace(told, id="v", accepted=False, rejected_because="false_claim", rejection="no frame shows it so")
    run = replace(make_run(), unposed_descriptions=(replace(told, model=""), untold))
    report = export_runs([run], "roomtour3d", tmp_path / "out")
    answers = [question["answers"] for item in read(tmp_path / "out", DESCRIPTIONS) for question in item["annotation"]]
    assert ["There is a sofa on the left."] in answers
    before = export_runs([make_run()], "roomtour3d", tmp_path / "before")
    assert report.counts["descriptions"] == before.counts["descriptions"] + 1
    assert report.dropped["rejected text"] == before.dropped.get("rejected text", 0) + 1
    assert not validate_export(tmp_path / "out")


def test_pictures_of_all_named_views_come_under_the_names_of_the_files(tmp_path: Path) -> None:
    run = make_run(frames_dir=frames_on_disk(tmp_path / "frames"))
    report = export_runs([run], "roomtour3d", tmp_path / "out", Roomtour3dOptions(copy_images=True))
    views = {view for record in read(tmp_path / "out") for view in record["path"]}
    views |= {
        f"{record['videoId']}_output_frame_{int(frame):04d}.png"
        for record in read(tmp_path / "out")
        for frame in record["longId"].partition("|")[2].split("%")
    }
    (described,) = read(tmp_path / "out", DESCRIPTIONS)
    views |= {f"flat_{image['image_id']}" for image in described["image_info"]}
    written = sorted((tmp_path / "out" / "frames" / "flat").iterdir())
    assert {f"flat_{path.name}" for path in written} == views
    assert report.counts["pictures"] == len(views)
    for path in written:
        kept = cv2.imread(str(run.frames_dir / f"{int(path.stem.rpartition('_')[2]):06d}.jpg"))
        assert (cv2.imread(str(path)) == kept).all()
    assert validate_export(tmp_path / "out") == []
