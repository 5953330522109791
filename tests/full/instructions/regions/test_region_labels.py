"""Global lines of views by a model that compares pictures with words: one that knows colours, and a tiny SigLIP."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from instructions.errors import InstructionError
from instructions.regions.choose import number_regions
from instructions.regions.describe import describe_view
from instructions.regions.sight.labels import label_views
from instructions.regions.writer import PreparedView
from tests.support.worlds.made_view import thing, view

RED, BLUE = (200, 10, 10), (10, 10, 200)


def prepare(folder: Path, name: str, colour: tuple[int, int, int], room: str | None = None) -> PreparedView:
    chair = thing("c", (2.0, 0.0, 0.45), (0.25, 0.25, 0.45), category="chair")
    told = view(chair, room=room, room_probability=0.9 if room else 0.0)
    numbered, record = number_regions(told, name, {})
    picture = np.full((record.height, record.width, 3), colour[::-1], np.uint8)
    cv2.imwrite(str(folder / name), picture)
    return PreparedView(numbered, record, describe_view(numbered, record))


class KnowsColours:
    """A red picture is a bedroom with a bed and a lamp for sleeping, a blue one a bathroom with a bathtub."""

    def embed(self, images):
        means = np.array([image.reshape(-1, 3).mean(axis=0) for image in images])
        return (means / np.linalg.norm(means, axis=1, keepdims=True)).astype(np.float32)

    def score(self, embeddings, texts):
        red = ("bedroom", "bed", "lamp", "sleeping")
        blue = ("bathroom", "bathtub", "washing")
        last = [text.split()[-1] for text in texts]
        rows = [[row[0] * word.startswith(red) + row[2] * word.startswith(blue) for word in last] for row in embeddings]
        return np.array(rows, np.float32)


def test_labels_are_of_the_picture_and_differ(tmp_path: Path):
    views = [prepare(tmp_path, "a.png", RED), prepare(tmp_path, "b.png", BLUE, room="kitchen")]
    first, second = label_views(views, tmp_path, KnowsColours(), "colours@1")
    assert first.verbal.places[0].text == "This place is a bedroom."
    assert first.verbal.concepts[0].text == "There might also be something for sleeping here."
    assert any(one.text == "One sees a bed here." for one in first.verbal.things)
    assert [one.source for one in first.verbal.places] == ["colours@1"] * 2
    # A measured room comes first, and is not named again.
    assert [one.source for one in second.verbal.places] == ["measured", "colours@1"]
    assert [one.text for one in second.verbal.places] == ["This place is a kitchen.", "This place is a bathroom."]
    for one in (first, second):
        texts = [line.text for line in (*one.verbal.places, *one.verbal.things, *one.verbal.concepts)]
        assert [len(part) for part in (one.verbal.places, one.verbal.things, one.verbal.concepts)] == [2, 3, 3]
        assert len(set(texts)) == 8
        labels = {text.split(" a ")[-1].split(" an ")[-1].removesuffix(" here.").removesuffix(".") for text in texts}
        assert len(labels) == 8
    assert first.verbal.narratives == views[0].verbal.narratives
    assert first.verbal.locals == views[0].verbal.locals


def test_a_picture_that_is_gone_is_one_line(tmp_path: Path):
    one = prepare(tmp_path, "a.png", RED)
    gone = replace(one, record=replace(one.record, image="gone.png"))
    with pytest.raises(InstructionError, match=r"gone\.png"):
        list(label_views([gone], tmp_path, KnowsColours(), "colours@1"))
