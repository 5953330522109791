"""Texts of our own writer about made walks, read back as anybody's: writer and reader agree and share no code."""

from dataclasses import replace

from instructions.facts.walk import Walk
from instructions.facts.way import WayGeometry
from instructions.navigation.grammar_writer import write_instructions
from instructions.tour import Tour
from instructions.truth.check import check_text
from tests.support.cases import each_case
from tests.support.worlds.boxworld import true_objects
from tests.support.worlds.made_walks import random_world

NAMES = ("sofa", "table", "cabinet", "chair", "plant", "table", "door", "chair")
"""Of the things of a walk in order: some share theirs."""


@each_case("seed", range(20))
def test_what_is_written_is_true_when_read_back(seed: int):
    world = random_world(seed)
    objects, observations = true_objects(world)
    named = [replace(one, category=name, alias=name) for one, name in zip(objects, NAMES, strict=False)]
    rows = write_instructions(Tour(world.scene, named, observations, seed=seed), [world.trajectory])
    assert rows
    walk, things = Walk.of(world.trajectory), {one.id: one for one in named}
    for row in rows:
        assert row.accepted, row.rejection
        first, last = (walk.index_of[end] for end in (row.views[0], row.views[-1]))
        way = WayGeometry(walk, first, last, world.model.nominal_metre, things, (), length_sigma=0.05)
        assert check_text(row.text, way).false_because is None, row.text
