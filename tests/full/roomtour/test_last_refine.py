"""`--recon.last-refine full` on a finished run: only merging and what follows is made anew, and it is said what was."""

import json
import shutil

import numpy as np
import pycolmap

from recon.evaluate import pose_error
from recon.geometry import Pose
from roomtour.cli import main

FLAGS = ("--workers", "1", "--until", "merge")


def read_poses(run) -> dict[int, Pose]:
    model = pycolmap.Reconstruction(run / "recon" / "merged" / "0")
    return {frame: Pose.from_rigid3d(model.image(frame).cam_from_world().inverse()) for frame in model.reg_image_ids()}


def test_the_poses_of_a_kept_run_are_refined(kept_run, short_walk, tmp_path):
    run = shutil.copytree(kept_run, tmp_path / "run")
    before = json.loads((run / "manifest.json").read_text())["stages"]
    assert main(["process", str(short_walk), "--out", str(run), "--recon.last-refine", "full", *FLAGS]) == 0
    after = json.loads((run / "manifest.json").read_text())["stages"]
    assert after["sfm"] == before["sfm"]
    assert after["merge"]["key"] != before["merge"]["key"]
    said = [finding for finding in after["merge"]["findings"] if finding["code"] == "merge.refined_fully"]
    assert len(said) == 1
    assert "of the walk" in said[0]["message"]
    old, new = read_poses(kept_run), read_poses(run)
    assert old.keys() == new.keys()
    length = np.linalg.norm(np.diff([old[frame].center for frame in sorted(old)], axis=0), axis=1).sum()
    moved = pose_error(new, old).rmse / length
    assert 1e-6 < moved < 0.01
    assert not list(run.glob("recon/**/full*"))


def test_poses_that_were_given_are_not_moved(kept_run, short_walk, tmp_path):
    given = tmp_path / "given.tum"
    shutil.copy(short_walk.with_suffix("") / "trajectory.tum", given)
    run = shutil.copytree(kept_run, tmp_path / "run")
    arguments = ["process", str(short_walk), "--poses", str(given), "--out", str(run), "--workers", "1"]
    assert main([*arguments, "--recon.last-refine", "full", "--until", "merge"]) == 0
    findings = json.loads((run / "manifest.json").read_text())["stages"]["merge"]["findings"]
    (said,) = [finding for finding in findings if finding["code"] == "merge.not_refined"]
    assert "--pose-source.refine" in said["message"]
