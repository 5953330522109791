"""How rare a kind of thing is: over the pictures of a run itself, or over all runs of a folder."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from roomtour.cli import main
from roomtour.imports.records import ImportOptions
from roomtour.imports.write import import_run
from roomtour.run import Run

BOXES = [[10, 150, 200, 350], [240, 160, 400, 350], [420, 30, 600, 220]]


def make(home: Path, name: str, labels: list[str]) -> Path:
    """A run of one picture with a box per label."""
    pictures = home / f"{name}_pictures"
    pictures.mkdir(parents=True)
    cv2.imwrite(str(pictures / "a.png"), np.random.default_rng(0).integers(0, 255, (400, 640, 3), dtype=np.uint8))
    line = {"image": "a.png", "boxes_xyxy": BOXES[: len(labels)], "labels": labels}
    (home / f"{name}.jsonl").write_text(json.dumps(line), encoding="utf-8")
    import_run(pictures, "images", home / name, ImportOptions(detections=home / f"{name}.jsonl"))
    return home / name


def rarities(run: Path) -> dict[str | None, float]:
    return {one.label: one.rarity for view in Run(run).region_views for one in view.regions}


def test_rarity_may_be_counted_over_the_runs_of_a_folder(tmp_path: Path):
    runs = tmp_path / "runs"
    one = make(runs, "one", ["sofa", "vase", "lamp"])
    make(runs, "two", ["sofa", "sofa", "lamp"])
    make(runs, "three", ["sofa", "sofa", "sofa"])
    assert main(["make", str(one), "--data", "regions"]) == 0
    assert set(rarities(one).values()) == {1.0}
    assert main(["make", str(one), "--data", "regions", "--set", f"regions.counted={runs}"]) == 0
    # With one added to each: 7 sofas, 2 vases, 3 lamps; their median is 3.
    wanted = {"sofa": (3 / 7) ** 0.5, "vase": (3 / 2) ** 0.5, "lamp": 1.0}
    assert rarities(one) == {label: pytest.approx(value, abs=1e-4) for label, value in wanted.items()}


def test_a_folder_in_which_nothing_can_be_counted_is_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    one = make(tmp_path / "runs", "one", ["sofa", "vase"])
    (tmp_path / "empty").mkdir()
    assert main(["make", str(one), "--data", "regions", "--set", f"regions.counted={tmp_path / 'empty'}"]) != 0
    assert "0 runs with things lie in it" in capsys.readouterr().err


def test_runs_that_came_later_are_counted_and_only_they_make_the_rows_again(tmp_path: Path):
    runs = tmp_path / "runs"
    one = make(runs, "one", ["sofa", "vase", "lamp"])
    command = ["make", str(one), "--data", "regions", "--set", f"regions.counted={runs}"]
    assert main(command) == 0
    assert set(rarities(one).values()) == {1.0}
    made = Run(one).stages["regions"]
    assert main(command) == 0
    assert Run(one).stages["regions"] == made  # nothing came: nothing was made again
    make(runs, "two", ["sofa", "sofa", "sofa"])
    assert main(command) == 0
    assert Run(one).stages["regions"].key != made.key
    assert rarities(one)["sofa"] == pytest.approx((2 / 5) ** 0.5, abs=1e-4)  # 5 sofas, 2 vases, 2 lamps
