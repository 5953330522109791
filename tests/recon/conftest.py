"""A known walk and the database of its matches, for tests that judge or change a model of it."""

import pytest
from made_models import walk_scene, write_matches


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
