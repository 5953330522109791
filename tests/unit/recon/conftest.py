"""A known walk and the database of its matches, for tests that judge or change a model of it."""

from tests.support.recon.known_walk import database, job, scene, walk

__all__ = ["database", "job", "scene", "walk"]
