"""The table of words: complete, and in words that the rest of the program knows."""

from __future__ import annotations

from instructions.perception.frames.tags import category_of, names_a_room
from instructions.perception.models.light.labels import (
    ade150_words,
    ade_words,
    coco_words,
    head_of,
    imagenet_words,
    network_names,
    words,
)
from tests.support.cases import each_case

NEVER = ("person", "cat", "dog", "bird", "car", "bus", "pizza", "banana", "fork", "sky", "tree", "road", "")


def test_every_word_of_boxes_and_segments_is_described():
    assert {*coco_words(), *ade_words(), *ade150_words()} - {"", "-"} == set(words())


def test_people_animals_vehicles_and_food_are_never_things():
    known = dict(zip(network_names()["coco"], coco_words(), strict=True))
    known |= dict(zip(network_names()["ade"], ade_words(), strict=True))
    assert {name: known[name] for name in NEVER if known.get(name)} == {}
    assert not {"person", "people", "man", "woman"} & {*words(), *imagenet_words()}


@each_case("word", sorted({*coco_words(), *ade_words(), *imagenet_words()} - {""}))
def test_words_are_the_ones_that_other_models_names_become(word: str):
    assert category_of(word) == word
    assert not names_a_room(word)


def test_heads_point_at_words():
    assert head_of("armchair") == "chair"
    assert head_of("sofa") == "sofa"
    for word in words().values():
        assert word.head in words()
        assert not set(word.synonyms) & set(words())
