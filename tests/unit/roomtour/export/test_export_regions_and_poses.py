"""What trainers on regions and poses make of an export: each reader follows the rules of its loader."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from instructions.perception.masks import encode_mask, pack_runs, unpack_runs
from roomtour.export import export_runs, validate_export
from roomtour.export.core.ledger import BalanceOptions
from roomtour.export.formats.scenes.embodiedscan import nine_numbers
from tests.support.export.breaking import read_content
from tests.support.export.made_datasets import MadeDatasets
from tests.support.export.made_run import level_camera, make_run
from tests.support.export.pose_readers import box_corners, read_cambrian_p, read_embodiedscan
from tests.support.export.region_readers import read_gar, read_osprey, read_spatialrgpt, read_videorefer


def test_every_frame_of_a_video_has_its_own_pose(made: MadeDatasets) -> None:
    models = {run.scene.id: run.scene.models[0] for run in made.program_tours}
    views = {row.id: (row.tour, row.views) for run in made.program_tours for row in run.rows["programs"]}
    items = read_cambrian_p(made["cambrian-p"] / "train")
    assert len(items) == made.report("cambrian-p").counts["rows"] > 10
    for item in items:
        tour, frames = views[item["id"]]
        poses = [models[tour].world_from_cam[frame] for frame in frames]
        wanted = [(poses[0].inverse() @ pose).matrix() for pose in poses]
        assert np.allclose(item["poses"], wanted, atol=1e-5)
        camera = models[tour].camera
        assert np.allclose(item["pinhole"], (camera.fx, camera.fy, camera.cx - 0.5, camera.cy - 0.5))


def test_videos_with_views_without_poses_are_left_out_and_counted(made: MadeDatasets, tmp_path: Path) -> None:
    run = made.program_tours[0]
    (model,) = run.scene.models
    lost = replace(model, world_from_cam=dict(list(model.world_from_cam.items())[1:]))
    runs = [replace(run, scene=replace(run.scene, models=(lost,)))]
    report = export_runs(runs, "cambrian-p", tmp_path / "out")
    assert report.dropped["a video with a view that has no pose"] > 0
    assert validate_export(tmp_path / "out") == []


def test_boxes_of_embodiedscan_are_those_of_the_things(made: MadeDatasets) -> None:
    (run,) = made.clouds
    (scene,) = read_embodiedscan(made["embodiedscan"], "train", ["chair"])
    told = read_content(made["embodiedscan"] / "embodiedscan_infos_train.pkl")["data_list"][0]
    things = {thing.id: thing for thing in run.objects}
    assert len(scene["corners"]) == len(told["instances"]) > 5
    for box, corners in zip(told["instances"], scene["corners"], strict=True):
        thing = things[box["thing"]]
        inside = (corners - thing.obb.center) @ np.array(thing.obb.rotation)
        assert np.allclose(np.abs(inside), thing.obb.half_extents, atol=1e-4)
    assert set(scene["labels"]) == {-1, 0}
    model = run.scene.models[0]
    for view, image in zip(scene["views"], told["images"], strict=True):
        frame = int(Path(image["img_path"]).stem)
        assert np.allclose(view["cam_from_world"], model.world_from_cam[frame].inverse().matrix())
        shown = {told["instances"][place]["thing"] for place in np.flatnonzero(view["shown"])}
        seen = {one.object for one in run.observations if one.frame == frame}
        assert shown == seen & {box["thing"] for box in told["instances"]}


@pytest.mark.parametrize("turned", [0.0, 30.0, 100.0, -170.0])
def test_nine_numbers_turn_a_box_any_way(turned: float) -> None:
    thing = make_run().objects[0]
    rotation = level_camera(0.0, 0.0, turned, elevation=20.0).rotation @ level_camera(0.0, 0.0, 50.0).rotation
    rows = tuple(tuple(float(value) for value in row) for row in rotation)
    thing = replace(thing, obb=replace(thing.obb, rotation=rows))  # pyright: ignore[reportArgumentType]
    corners = box_corners(np.array(nine_numbers(thing), np.float32))
    assert np.allclose(np.abs((corners - thing.obb.center) @ rotation), thing.obb.half_extents, atol=1e-5)


def test_a_thing_keeps_its_masks_over_the_frames_of_a_film(made: MadeDatasets) -> None:
    (item,) = read_videorefer(made["videorefer"] / "videorefer_train.json", made["videorefer"])
    assert item["frames"] == [2, 3]  # those of the frames 3 and 4, from 0
    for mask in item["masks"]:
        rows, columns = np.nonzero(mask)
        assert (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1) == (10, 20, 61, 90)
    told = [turn["value"] for turn in item["turns"]]
    assert told[0] == "<video>\n[0] and [1] are one thing at 2 moments. What is it?"
    assert told[1::2] == ["It is a chair.", "Red.", "It is there to sit on."]


def test_gar_asks_about_prompts_and_captions_masks(made: MadeDatasets, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "roomtour").symlink_to(made["gar"])
    items = read_gar(made["gar"] / "gar_train.json", tmp_path)
    assert [item["captions"] for item in items if "captions" in item] == [{0: "A red chair. It is there to sit on."}]
    asked = [item for item in items if "turns" in item]
    assert len(asked) == 3
    assert all("<Prompt0>" in item["turns"][0]["value"] and list(item["masks"]) == [0] for item in asked)


def test_a_box_without_a_mask_covers_the_same_pixels_for_every_trainer(made: MadeDatasets, tmp_path: Path) -> None:
    outs = {"osprey": tmp_path / "osprey", "gar": tmp_path / "data" / "roomtour", "spatialrgpt": made["spatialrgpt"]}
    for format in ("osprey", "gar"):
        export_runs(made.spatial, format, outs[format], BalanceOptions(balance=False), kinds=("spatial",))
    osprey = read_osprey(outs["osprey"] / "osprey_train.json", outs["osprey"] / "images")
    gar = {item["id"]: item for item in read_gar(outs["gar"] / "gar_train.json", tmp_path)}
    asked = read_spatialrgpt(outs["spatialrgpt"] / "train.json", outs["spatialrgpt"] / "images")
    first = {item["id"]: item["masks"][0] for item in osprey}
    assert len(osprey) == len(gar) > 10
    assert len(asked) > 10
    for item in osprey:
        assert all(np.array_equal(a, b) for a, b in zip(item["masks"], gar[item["id"]]["masks"].values(), strict=True))
    for item in asked:
        assert all(np.array_equal(a, b) for a, b in zip(item["masks"], item["boxes"], strict=True))
        assert np.array_equal(first[item["id"]], item["masks"][0])


def test_packed_runs_unpack_to_what_they_were() -> None:
    draw = np.random.default_rng(0)
    for share in (0.0, 0.02, 0.5, 0.98, 1.0):
        told = encode_mask(draw.random((31, 57)) < share)
        assert unpack_runs(str(pack_runs(told)["counts"])) == told.counts
