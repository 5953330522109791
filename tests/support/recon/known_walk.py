"""A known walk and the database of its matches, for tests that judge or change a model of it."""

import pytest

from recon.mapping.mapping import MappingJob
from recon.mapping.options import SIFT_BARS, SfmOptions
from tests.support.recon.made_models import walk_scene, write_matches


@pytest.fixture(scope="module")
def scene():
    """The true model of 24 frames; tests change copies of it."""
    return walk_scene(24, 1500)


@pytest.fixture(scope="module")
def database(scene, tmp_path_factory):
    """Matches of `scene`."""
    path = tmp_path_factory.mktemp("matches") / "database.db"
    write_matches(scene, path)
    return path


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    """A longer one of 40 frames, and its database."""
    scene = walk_scene(frames=40, points=900)
    path = tmp_path_factory.mktemp("walk") / "database.db"
    write_matches(scene, path)
    return scene, path


@pytest.fixture
def job(walk, tmp_path):
    """Mapping of that walk."""
    return MappingJob(walk[1], tmp_path, tuple(range(1, 41)), tmp_path / "work", SfmOptions(), SIFT_BARS, 0)
