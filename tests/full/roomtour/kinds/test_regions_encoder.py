"""`--set regions.sentences=FOLDER` and `--set regions.labels=models` on a run of plain pictures, with tiny encoders."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from roomtour.artifacts import VERBALIZATIONS
from roomtour.cli import main
from roomtour.imports.records import ImportOptions
from roomtour.imports.write import import_run
from roomtour.review.kinds import find_encoders
from roomtour.run import Run
from tests.support.doubles.made_checkpoints import write_checkpoint, write_sentence_encoder

pytest.importorskip("torch")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("encoded")
    (home / "pictures").mkdir()
    noise = np.random.default_rng(0).integers(0, 255, (400, 640, 3), dtype=np.uint8)
    cv2.imwrite(str(home / "pictures" / "a.png"), noise)
    boxes = {"image": "a.png", "boxes_xyxy": [[10, 150, 310, 350], [500, 160, 560, 250]], "labels": ["sofa", "vase"]}
    (home / "boxes.jsonl").write_text(json.dumps(boxes), encoding="utf-8")
    import_run(home / "pictures", "images", home / "run", ImportOptions(detections=home / "boxes.jsonl"))
    return home


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sentence_encoder(tmp_path_factory.mktemp("bert"))


def test_a_run_remembers_its_sentence_encoder_for_the_review(folder: Path, encoder: Path):
    run = folder / "run"
    assert main(["make", str(run), "--data", "regions"]) == 0
    plain = {row.id for row in Run(run).rows("regions")}
    assert find_encoders({"a": Run(run)}) == {}
    assert main(["make", str(run), "--data", "regions", "--set", f"regions.sentences={encoder}"]) == 0
    made = Run(run)
    # Weights drawn by chance call most things alike: what it takes for repeats is not asked, the rest stays.
    assert {row.id for row in made.rows("regions")} <= plain
    vectors = [one.encode(["a chair"]) for one in find_encoders({"a": made, "b": made}).values()]
    assert len(vectors) == 2
    assert np.array_equal(vectors[0], vectors[1])


def test_global_lines_come_from_the_image_model(folder: Path, tmp_path: Path):
    weights = write_checkpoint("siglip", tmp_path / "siglip")
    arguments = ["make", str(folder / "run"), "--data", "regions", "--set", "regions.labels=models"]
    assert main([*arguments, "--set", f"vision.tags.model={weights}", "--set", "regions.sentences=null"]) == 0
    (told,) = VERBALIZATIONS.read(folder / "run")
    assert [len(part) for part in (told.places, told.things, told.concepts)] == [2, 3, 3]
    assert {line.source.split("@")[0] for line in (*told.places, *told.things, *told.concepts)} == {"siglip"}
