"""Faults of the published code for localized knowledge, each looked for in ours."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from instructions.errors import InstructionError
from instructions.regions.choose import number_regions
from instructions.regions.critic.features import REGION_NAMES, find_features, look_at_views, place_groups
from instructions.regions.facts_qar import write_facts
from instructions.regions.records import MentionedRegion
from tests.support.worlds.made_view import thing, view

KINDS = ("sofa", "chair", "table", "vase", "lamp", "box", "bench", "plant")
ROOM = view(
    *(
        thing(f"o{k}", (3.0 + 0.2 * k, 2.1 - 0.6 * k, 0.4), (0.2, 0.2, 0.4), category=kind, color="red")
        for k, kind in enumerate(KINDS)
    ),
    looked_for=frozenset((*KINDS, "piano")),
)
NUMBERED, RECORD = number_regions(ROOM, "000001.png", {})
ROWS = [one.row for seed in range(4) for one in write_facts(NUMBERED, RECORD, "made", seed=seed)]
KEPT = [row for row in ROWS if row.accepted]


def test_a_critic_sees_every_region_that_a_row_names(tmp_path: Path):
    cv2.imwrite(str(tmp_path / RECORD.image), np.full((RECORD.height, RECORD.width, 3), 90, np.uint8))

    class Counting:
        seen = 0

        def embed(self, images):
            self.seen = len(images)
            return np.eye(len(images), dtype=np.float32)

    encoder = Counting()
    look = look_at_views([RECORD], tmp_path, encoder)[RECORD.id]
    assert encoder.seen == 1 + len(RECORD.regions)
    last = RECORD.regions[-1]
    row = replace(KEPT[0], regions=(MentionedRegion(last.number, last.object, last.box_xyxy),))
    inputs = find_features(row, RECORD, look=look, look_size=len(look.image))
    seen = inputs[place_groups(len(look.image))["pictures"]]
    assert seen[len(look.image) :] == pytest.approx(look.regions[last.number])
    area = inputs[place_groups(len(look.image))["regions"]][REGION_NAMES.index("area mean")]
    x0, y0, x1, y1 = last.box_xyxy
    assert area == pytest.approx((x1 - x0) * (y1 - y0) / (RECORD.width * RECORD.height))


def test_a_picture_that_is_cut_off_is_not_taken_as_whole(subtests, tmp_path: Path):
    class Blind:
        def embed(self, images):
            raise AssertionError("it was shown a picture that is cut off")

    noise = np.random.default_rng(0).integers(0, 255, (RECORD.height, RECORD.width, 3), dtype=np.uint8)
    for suffix in (".png", ".jpg"):
        with subtests.test(suffix):
            path = tmp_path / f"cut{suffix}"
            cv2.imwrite(str(path), noise)
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
            with pytest.raises(InstructionError, match=path.name):
                look_at_views([replace(RECORD, image=path.name)], tmp_path, Blind())
