"""A Rerun recording holds what the run holds, read back by Rerun's own reader."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from roomtour.errors import RoomtourError
from roomtour.export import export_runs
from tests.support.export.made_datasets import MadeDatasets


@pytest.fixture
def made(tmp_path: Path) -> MadeDatasets:
    return MadeDatasets(tmp_path / "made")


def read(file: Path) -> dict[str, dict[str, list]]:
    """Columns by entity."""
    reader = pytest.importorskip("rerun.chunk").RrdReader
    held: dict[str, dict[str, list]] = {}
    for chunk in reader(file).stream():
        batch = chunk.to_record_batch()
        for name in batch.schema.names:
            column = held.setdefault(str(chunk.entity_path), {}).setdefault(name, [])
            column.extend(batch.column(name).to_pylist())
    return held


def test_frames_cameras_points_and_things_are_those_of_the_run(made: MadeDatasets, tmp_path: Path) -> None:
    pytest.importorskip("rerun")
    run, (model,) = made.walk[0], made.walk[0].scene.models
    rgb = np.random.default_rng(0).integers(0, 255, model.tracks.xyz.shape).astype(np.uint8)
    colored = replace(model, tracks=replace(model.tracks, rgb=rgb))
    run = replace(run, scene=replace(run.scene, models=(colored,)))
    export_runs([run], "rerun", tmp_path / "out")
    held = read(tmp_path / "out" / f"{run.scene.id}.rrd")
    root = f"/models/{model.name}"
    camera = held[f"{root}/camera"]
    assert camera["frame"] == list(model.frames)
    centers = np.array(camera["Transform3D:translation"]).reshape(-1, 3)
    np.testing.assert_allclose(centers, model.centers, atol=1e-5)
    first = bytes(held[f"{root}/camera/image"]["EncodedImage:blob"][0][0])
    assert first == (run.frames_dir / run.scene.frame_by_index[model.frames[0]].image).read_bytes()
    (points,), (colors,) = (held[f"{root}/points"][f"Points3D:{name}"] for name in ("positions", "colors"))
    np.testing.assert_allclose(points, model.tracks.xyz, atol=1e-4)
    assert [color >> 8 for color in colors] == [int(r) << 16 | int(g) << 8 | int(b) for r, g, b in rgb]
    (labels,), (sizes,) = (held[f"{root}/things"][f"Boxes3D:{name}"] for name in ("labels", "half_sizes"))
    assert len(labels) == len(sizes) == len(run.objects)
    assert set(labels) <= {"", *(thing.alias for thing in run.objects)}


def test_without_the_sdk_it_says_what_to_install(
    made: MadeDatasets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rerun", None)
    with pytest.raises(RoomtourError, match=r"roomtour\[rerun\]"):
        export_runs(made.walk, "rerun", tmp_path / "out")
    assert not (tmp_path / "out").exists()
