"""The five rules of choice over random pictures, and the cover of a tour by views."""

import numpy as np
import pytest

from instructions.facts.overlap import box_iou
from instructions.regions.choose import Candidate, choose_regions, clean, count_labels, measure_rarity, weigh
from instructions.regions.options import RegionChoiceOptions

SIZE = (640, 480)
LABELS = ("chair", "table", "person", "vase", None)


def random_picture(seed: int) -> list[Candidate]:
    rng = np.random.default_rng(seed)
    out = []
    for place in range(int(rng.integers(0, 60))):
        x, y = rng.uniform(-40, 640), rng.uniform(-40, 480)
        wide, tall = rng.uniform(2, 300, 2)
        label = LABELS[int(rng.integers(len(LABELS)))]
        out.append(Candidate(f"o{place}", label, (x, y, x + wide, y + tall), float(rng.uniform(0.1, 1.0))))
    return out


def inside(a, b):
    wide, tall = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return max(wide, 0) * max(tall, 0) / ((a[2] - a[0]) * (a[3] - a[1]))


def test_the_rules_hold_in_random_pictures():
    for seed in range(200):
        found = random_picture(seed)
        chosen = choose_regions(found, SIZE, count_labels([one.label for one in found]))
        assert len(chosen) <= 10
        assert sum(one.label == "person" for one in chosen) <= 4
        for label in ("chair", "table", "vase"):
            assert sum(one.label == label for one in chosen) <= 3
        for a in chosen:
            x0, y0, x1, y1 = a.box_xyxy
            assert a.score >= 0.3
            assert min(x1 - x0, y1 - y0) >= 16
            assert (x1 - x0) * (y1 - y0) >= 0.001 * 640 * 480
            assert min(x0, y0) >= 0
            assert max(x1 - 640, y1 - 480) <= 0
            for b in chosen:
                if a is not b:
                    assert box_iou(a.box_xyxy, b.box_xyxy) <= 0.5
                    if a.label is not None and a.label == b.label:
                        assert inside(a.box_xyxy, b.box_xyxy) < 0.9
        assert chosen == choose_regions(found[::-1], SIZE, count_labels([one.label for one in found]))


def test_persons_come_first_and_the_rest_by_weight_and_rarity():
    person = Candidate("p", "person", (0, 0, 30, 40), 0.9)
    middle = Candidate("m", "table", (220, 140, 420, 340), 0.9)
    corner = Candidate("c", "table", (0, 280, 200, 480), 0.9)
    assert [one.id for one in choose_regions([corner, middle, person], SIZE, {})] == ["p", "m", "c"]
    rare = Candidate("r", "harp", (20, 280, 200, 480), 0.9)
    alike = choose_regions([corner, rare], SIZE, {"table": 500.0, "harp": 5.0}, RegionChoiceOptions(most=1))
    assert [one.id for one in alike] == ["r"]


def test_weight_and_rarity_as_they_are_written_down():
    assert weigh((220, 140, 420, 340), SIZE) == pytest.approx(np.sqrt(200 * 200 / (640 * 480)))
    assert measure_rarity("a", {"a": 100.0, "b": 25.0, "c": 25.0}) == pytest.approx(0.5)
    assert measure_rarity("b", {"a": 1e6, "b": 1.0, "c": 1e6}) == 3.0
    assert measure_rarity(None, {"a": 1.0}) == 1.0


def test_doubles_go_and_the_better_score_stays():
    one = Candidate("a", "chair", (100, 100, 200, 200), 0.6)
    other = Candidate("b", "chair", (102, 100, 202, 200), 0.9)
    assert [one.id for one in clean([one, other], SIZE)] == ["b"]
    assert clean([], SIZE) == []
