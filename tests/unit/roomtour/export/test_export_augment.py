from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recon.conventions import zup_from_yup
from recon.geometry import Pose
from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.walks.ways import AugmentOptions, PoseAugmentOptions, add_further_walks
from roomtour.export.formats.talks.llava import LlavaOptions
from tests.support.export.breaking import frames_on_disk
from tests.support.export.made_run import corner_walk, make_model, make_run, make_trajectory, with_further


def added(run: RunData, options: ExportOptions, out: Path) -> RunData:
    return add_further_walks(run, Ledger(out, nested=False), options)


def episodes(folder: Path) -> list[dict[str, Any]]:
    return json.loads(gzip.decompress((folder / "train.json.gz").read_bytes()))["episodes"]


def test_a_run_without_further_walks_says_so(tmp_path: Path) -> None:
    report = export_runs([make_run()], "vlnce", tmp_path / "out", PoseAugmentOptions(way_back=True))
    assert [finding.code for finding in report.findings] == ["export.no_further_walks"]


def test_texts_of_the_way_back_are_written_and_checked_anew(tmp_path: Path) -> None:
    run = with_further(make_run())
    more = added(run, PoseAugmentOptions(way_back=True), tmp_path)
    (back,) = more.trajectories[len(run.trajectories) :]
    assert back.id == "flat_m0_t0_back"
    texts = more.instructions[len(run.instructions) :]
    assert texts
    for text in texts:
        assert text.trajectory == back.id
        assert text.writer == "embedded"
        assert text.objects == ()
        assert text.text not in {old.text for old in run.instructions}
        assert all(check.true for check in text.claims)
    told = " ".join(text.text for text in texts if text.accepted).lower()
    assert "right" in told
    assert "left" not in told


def test_the_way_back_starts_at_the_end_and_looks_along_it(tmp_path: Path) -> None:
    run = with_further(make_run())
    export_runs([run], "vlnce", tmp_path / "out", PoseAugmentOptions(way_back=True))
    assert validate_export(tmp_path / "out") == []
    plain = len([text for text in run.instructions if text.accepted and text.kind == "instruction"])
    back = episodes(tmp_path / "out")[plain:]
    assert back
    path = zup_from_yup(back[0]["reference_path"])
    assert path[0, :2] == pytest.approx([3.3, 3.6])
    first_step = path[1] - path[0]
    x, y, z, w = back[0]["start_rotation"]
    angle = 2 * np.arctan2(y, w)
    looks = np.array([-np.sin(angle), np.cos(angle)])
    assert (x, z) == (0.0, 0.0)
    assert looks @ first_step[:2] / np.linalg.norm(first_step) == pytest.approx(1.0, abs=1e-6)


def long_run(frames_dir: Path) -> RunData:
    """The corner walk in steps of 1.2 m: more than one training trajectory."""
    poses = [Pose(pose.rotation, pose.translation * (4.0, 4.0, 1.0)) for pose in corner_walk()]
    model = make_model(poses)
    run = make_run(frames_dir=frames_dir)
    return replace(
        run,
        scene=replace(run.scene, models=(model,)),
        trajectories=(make_trajectory("flat", model, ()),),
        rows={"navigation": ()},
    )


def test_parts_of_the_walk_are_told_of_their_own_frames(tmp_path: Path) -> None:
    run = with_further(long_run(frames_on_disk(tmp_path / "frames")))
    more = added(run, AugmentOptions(sub_walks=True), tmp_path)
    parts = {part.id: part for part in more.trajectories[len(run.trajectories) :]}
    assert parts
    for text in more.instructions[len(run.instructions) :]:
        assert set(text.views) <= set(parts[text.trajectory].frames)
    report = export_runs([run], "llava", tmp_path / "out", LlavaOptions(sub_walks=True))
    assert report.counts["ways"] > 0
    assert validate_export(tmp_path / "out") == []
