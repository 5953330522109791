"""Pictures of which nothing is given: light networks find what may be asked, and without them they stay pictures."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from instructions.errors import InstructionError
from roomtour.imports.records import ImportOptions
from roomtour.imports.write import import_run
from roomtour.pipeline import make_data
from roomtour.run import Run


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory, finished_run: Path) -> Path:
    """Six frames of a walk as a folder of photos."""
    folder = tmp_path_factory.mktemp("photos")
    for path in sorted((finished_run / "frames").glob("*.jpg"))[::5][:6]:
        shutil.copy(path, folder / path.name)
    return folder


def test_light_networks_find_what_is_asked(
    photos: Path, light_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROOMTOUR_MODELS", str(light_models))
    runs = [import_run(photos, "images", tmp_path / name) for name in ("one", "two")]
    assert (tmp_path / "one/scene/scene.json").read_bytes() == (tmp_path / "two/scene/scene.json").read_bytes()
    scene = runs[0].scene
    assert scene.models
    for model in scene.models:
        assert (model.scale.status, model.range_sigma > 0.1, model.scale.sigma >= 0.15) == ("assumed", True, True)
        assert model.world_from_cam[model.frames[0]].center[2] == pytest.approx(1.5, abs=0.1)
        assert model.is_upright
    assert "import.lens_assumed" in {finding.code for finding in runs[0].findings}
    make_data(tmp_path / "one", ["spatial"])
    rows = Run(tmp_path / "one").rows("spatial")
    counts = Counter(row.views[0] for row in rows)
    assert min(counts[frame.index] for frame in scene.frames) >= 10
    posed = {frame for model in scene.models for frame in model.frames}
    assert all(row.views[0] in posed for row in rows if row.level != "2d")
    assert any(row.type == "mark_nearer_choice" for row in rows)


def test_without_networks_pictures_stay_pictures(photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOMTOUR_MODELS", str(tmp_path / "nothing"))
    run = import_run(photos, "images", tmp_path / "run")
    assert not run.scene.models
    assert {"import.not_looked_at", "import.no_depth"} <= {finding.code for finding in run.findings}
    with pytest.raises(InstructionError, match="light models not in"):
        import_run(photos, "images", tmp_path / "light", ImportOptions(perception="light"))
