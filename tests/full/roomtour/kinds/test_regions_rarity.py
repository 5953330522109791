"""How rare a kind of thing is: over the pictures of a run itself, or over all runs of a folder."""

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
