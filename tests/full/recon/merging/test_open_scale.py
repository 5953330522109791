"""Joined models whose scale is open somewhere say so."""

from __future__ import annotations

import pycolmap
import pytest

from recon.audit.verdict import Verdict
from recon.merging import regrow
from recon.merging.merge import merge_sub_models
from recon.records import SubModel
from tests.support.recon.made_models import walk_scene, write_matches


@pytest.mark.parametrize("is_open", [False, True])
def test_an_open_scale_of_the_finished_model_is_told(is_open, tmp_path, monkeypatch):
    scene = walk_scene(12, 400)
    write_matches(scene, tmp_path / "database.db")
    sigmas = {(4, 5): 0.011, (7, 8): 0.014} if is_open else {}
    places = tuple(Verdict(False, "open scale", 0.1, 0.02, at, "", sigma) for at, sigma in sigmas.items())
    monkeypatch.setattr(regrow, "find_weak_scale", lambda *_: places)
    model = SubModel("000/0", ("000",), pycolmap.Reconstruction(scene))

    merged = merge_sub_models([model], tmp_path / "database.db")

    told = [finding for finding in merged.findings if finding.code == "merge.scale_open"]
    assert len(told) == is_open
    if is_open:
        assert told[0].severity == "warning"
        assert told[0].where == "frames 4-8"
        assert "a model of 12 frames may change by 1.4% between frames 7 and 8" in told[0].message
