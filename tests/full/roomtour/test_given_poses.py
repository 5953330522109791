import shutil
from pathlib import Path

import numpy as np
import pytest

import roomtour
from instructions.perception.scene_things import interpolate_tracks
from recon.evaluate import pose_error
from recon.geometry import Pose
from recon.pose_sources.match import PictureIndex, match_poses
from recon.pose_sources.read import read_pose_sources, read_tum
from roomtour.cli import main
from tests.support.one_line import one_line

LENS = ["301.7213517405491", "301.7213517405491", "240", "135"]


def process(
    walk: Path, run: Path, out: Path, poses: Path, *flags: str, until: str = "scene", code: int = 0
) -> roomtour.Run:
    """Process the walk with given poses, going on from the matches of `run`."""
    shutil.copytree(run, out)
    command = ["process", str(walk), "--out", str(out), "--poses", str(poses), "--workers", "1", "--until", until]
    assert main([*command, *flags]) == code
    return roomtour.Run(out)


def truth_of(walk: Path, run: roomtour.Run) -> dict[int, Pose]:
    frames = run.scene.frames
    return dict(match_poses(read_tum(walk.with_suffix("") / "trajectory.tum"), frames, PictureIndex(())).world_from_cam)


def codes(run: roomtour.Run) -> set[str]:
    return {finding.code for finding in run.findings}


def test_true_poses_stay_true_and_metric(finished_run, short_walk, tmp_path):
    truth = short_walk.with_suffix("") / "trajectory.tum"
    flags = ["--pose-source.metric", "--pose-source.metric-sigma", "0.01", "--pose-source.intrinsics", *LENS]
    run = process(short_walk, finished_run, tmp_path / "run", truth, *flags, until="report")
    (model,) = run.scene.models
    assert model.frames == tuple(frame.index for frame in run.scene.frames)
    error = pose_error(model.world_from_cam, truth_of(short_walk, run))
    assert error.largest < 1e-9
    assert error.reference_from_estimate.scale == pytest.approx(1.0)
    assert (model.scale.status, model.scale.factor, model.scale.sigma) == ("metric", 1.0, 0.01)
    assert "trajectory.tum" in model.scale.source
    up = error.reference_from_estimate.rotation[2]
    assert np.degrees(np.arccos(up[2])) < 1.0
    assert model.mean_reprojection_error_px < 0.7
    assert len(model.tracks.xyz) > 3000
    assert "poses.given" in codes(run)
    assert "scene.scale_assumed" not in codes(run)
    assert run.manifest["options"]["poses"] == str(truth)
    assert run.manifest["options"]["pose_source"]["metric"] is True
    assert run.trajectories
    assert run.objects
    assert run.instructions  # the rest of the pipeline works the same
    assert main(["export", str(tmp_path / "run"), "--format", "roomtour3d", "--out", str(tmp_path / "out")]) == 0
    assert main(["validate", str(tmp_path / "out")]) == 0


def test_our_own_exports_come_back(subtests, finished_run, short_walk, tmp_path):
    before = roomtour.Run(finished_run).scene
    for format in ("colmap", "tum", "nerfstudio"):
        with subtests.test(format):
            out = tmp_path / format
            assert main(["export", str(finished_run), "--format", format, "--out", str(out)]) == 0
            sources = read_pose_sources(out)
            assert len(sources) == len(before.models)
            for source, model in zip(sources, before.models, strict=True):
                again = match_poses(source, before.frames, PictureIndex(())).world_from_cam
                assert again.keys() == model.world_from_cam.keys()
                for frame, pose in model.world_from_cam.items():
                    assert np.abs(again[frame].matrix() - pose.matrix()).max() < 1e-9
    run = process(short_walk, finished_run, tmp_path / "run", tmp_path / "colmap")
    error = pose_error(run.scene.models[0].world_from_cam, before.models[0].world_from_cam)
    assert error.frames == len(before.models[0].frames)
    assert error.largest < 1e-6
    assert error.rotation_median_deg < 1e-4


def test_poses_of_other_moments_are_an_error_finding(finished_run, short_walk, tmp_path):
    truth = short_walk.with_suffix("") / "trajectory.tum"
    run = process(short_walk, finished_run, tmp_path / "run", truth, "--pose-source.time-offset-s", "2.0", code=3)
    assert ("error", "poses.do_not_fit") in {(finding.severity, finding.code) for finding in run.findings}


def test_changed_poses_are_placed_anew_and_the_same_are_kept(finished_run, short_walk, tmp_path):
    poses = tmp_path / "poses.txt"
    shutil.copy(short_walk.with_suffix("") / "trajectory.tum", poses)
    run = tmp_path / "run"
    process(short_walk, finished_run, run, poses, until="sfm")
    command = ["process", str(short_walk), "--out", str(run), "--poses", str(poses), "--workers", "1", "--until", "sfm"]
    first = roomtour.Run(run).stages
    assert main(command) == 0
    assert roomtour.Run(run).stages == first
    poses.write_text("\n".join(poses.read_text().splitlines()[:100]))
    assert main(command) == 0
    assert roomtour.Run(run).stages["features"] == first["features"]
    assert roomtour.Run(run).stages["sfm"].key != first["sfm"].key


def test_wrong_poses_are_told_before_anything_costly(subtests, capsys, short_walk, tmp_path):
    poses = tmp_path / "poses.txt"
    args = ["process", str(short_walk), "--out", str(tmp_path / "run"), "--poses", str(poses)]
    for text, words in (
        ("0 1 2 3\n", "need 8"),
        ("# empty\n", "no pose"),
        ("900 0 0 0 0 0 0 1\n901 1 0 0 0 0 0 1\n", "do not overlap"),
    ):
        with subtests.test(words):
            poses.write_text(text)
            assert words in one_line(capsys, *args)
            assert not (tmp_path / "run" / "recon").exists()


def test_depth_beside_poses_is_taken_where_the_tracks_agree_and_refused_where_not(finished_run, tmp_path):
    before = roomtour.Run(finished_run)
    model = before.scene.models[0]
    frames, depths = model.frames[:20], interpolate_tracks(model)
    (tmp_path / "pictures").mkdir()
    for frame in frames:
        image = before.scene.frame_by_index[frame].image
        shutil.copy(finished_run / "frames" / image, tmp_path / "pictures" / image)
    lens = [[model.camera.fx, 0, model.camera.cx], [0, model.camera.fy, model.camera.cy], [0, 0, 1]]
    maps = np.stack([np.repeat(np.repeat(depths[frame].depth, 4, axis=0), 4, axis=1) for frame in frames])
    maps = maps[:, : model.camera.height, : model.camera.width]
    poses = np.stack([model.world_from_cam[frame].inverse().matrix()[:3] for frame in frames])
    for depth, code in ((maps * 0.5, "poses.depth"), (maps[::-1], "poses.depth_does_not_fit")):
        np.savez(tmp_path / "results.npz", extrinsics=poses, intrinsics=np.tile(lens, (20, 1, 1)), depth=depth)
        command = ["process", str(tmp_path / "pictures"), "--out", str(tmp_path / "run"), "--workers", "1"]
        command += ["--input.fps", "3", "--sample.fps", "3", "--perception", "landmarks", "--until", "perception"]
        assert main([*command, "--poses", str(tmp_path / "results.npz")]) == 0
        run = roomtour.Run(tmp_path / "run")
        assert code in codes(run)
        is_taken = code == "poses.depth"
        assert (tmp_path / "run" / "perception" / "measured_points" / "0.npz").is_file() == is_taken
