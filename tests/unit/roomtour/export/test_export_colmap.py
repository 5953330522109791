from __future__ import annotations

from pathlib import Path

import pycolmap
import pytest

from roomtour.errors import RoomtourError
from roomtour.export import export_runs, validate_export
from roomtour.export.formats.scenes.poses import ColmapOptions
from tests.support.export.breaking import frames_on_disk
from tests.support.export.made_run import make_run


def test_points_reproject_where_they_were_seen(tmp_path: Path) -> None:
    export_runs([make_run()], "colmap", tmp_path / "out")
    back = pycolmap.Reconstruction(tmp_path / "out" / "0")
    back.update_point_3d_errors()
    assert back.num_points3D() == 40
    assert back.compute_mean_reprojection_error() < 1e-6


def test_images_are_copied_when_asked(tmp_path: Path) -> None:
    frames = frames_on_disk(tmp_path / "frames")
    export_runs([make_run(frames_dir=frames)], "colmap", tmp_path / "out", ColmapOptions(copy_images=True))
    assert (tmp_path / "out" / "images" / "000030.jpg").read_bytes() == (frames / "000030.jpg").read_bytes()
    assert validate_export(tmp_path / "out") == []


@pytest.mark.posix
def test_files_that_a_full_disk_cuts_short_are_noticed(tmp_path: Path) -> None:
    """Stands in for a full disk: no file may grow beyond 6000 bytes, and pycolmap keeps silent about it."""
    import resource  # not there on Windows

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (6000, before[1]))
    try:
        with pytest.raises(RoomtourError, match="was not written whole"):
            export_runs([make_run()], "colmap", tmp_path / "out")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []
