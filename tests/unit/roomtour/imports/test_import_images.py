"""`roomtour import --format images`: a stranger's folder to questions whose numbers are those of the world."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from recon.picture_faults import find_picture_fault
from roomtour.cli.app import main
from roomtour.errors import RoomtourError, UsageError
from roomtour.imports.records import ImportOptions
from roomtour.imports.write import import_run
from roomtour.pipeline import make_data
from roomtour.run import Run
from tests.support.imports.made_images import CRATES, write_images, write_lines


def test_from_a_clean_folder_to_a_dataset_by_commands_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_images(tmp_path / "pictures")
    monkeypatch.chdir(tmp_path)
    assert main(["import", "pictures", "--format", "images", "--out", "run", "--licence", "CC0"]) == 0
    assert main(["make", "run", "--data", "spatial"]) == 0
    assert main(["show", "run"]) == 0
    assert main(["check", "run"]) == 0
    assert main(["report", "."]) == 0
    assert main(["explain", "run", "--data", "spatial", "--sample", "2", "--out", "look"]) == 0
    assert main(["export", "run", "--format", "messages", "--data", "spatial", "--out", "dataset"]) == 0
    assert main(["validate", "dataset"]) == 0
    assert (tmp_path / "run" / "report.html").is_file()
    assert len(list((tmp_path / "look").glob("*.png"))) == 2
    assert "CC0" in (tmp_path / "dataset" / "README.md").read_text(encoding="utf-8")


def test_each_image_is_a_model_of_its_own_and_two_are_never_compared(tmp_path: Path) -> None:
    write_images(tmp_path / "pictures")
    run = import_run(tmp_path / "pictures", "images", tmp_path / "run")
    assert [model.frames for model in run.scene.models] == [(1,), (2,)]
    assert run.imported_as == "images"
    make_data(tmp_path / "run", ["spatial"])
    rows = Run(tmp_path / "run").rows("spatial")
    assert rows
    for row in rows:
        assert len(row.views) == 1
        assert row.views == (int(row.model),)
        assert {one.object.split("_")[0] for one in row.references if one.mark is None} <= {row.model}


def test_numbers_and_words_are_those_of_the_world_whatever_the_roll(tmp_path: Path) -> None:
    write_images(tmp_path / "pictures", rolls=(-20.0, 0.0, 15.0))
    import_run(tmp_path / "pictures", "images", tmp_path / "run")
    make_data(tmp_path / "run", ["spatial"])
    truth = {crate.name.split()[-1]: crate for crate in CRATES}
    numbers = words = 0
    for row in Run(tmp_path / "run").rows("spatial"):
        assert row.upright
        named = [truth[reference.category] for reference in row.references if reference.mark is None]
        if row.type == "height":
            assert row.measured.value == pytest.approx(named[0].high[2] - named[0].low[2], abs=0.04)
            numbers += 1
        elif row.type == "horizontal_distance":
            ends = [np.array([crate.low[:2], crate.high[:2]]).mean(axis=0) for crate in named]
            assert row.measured.value == pytest.approx(float(np.linalg.norm(ends[0] - ends[1])), abs=0.30)
            numbers += 1
        elif row.type == "gap":
            a, b = named
            apart = np.maximum(np.subtract(a.low, b.high), np.subtract(b.low, a.high)).clip(0.0)
            assert row.measured.value == pytest.approx(float(np.linalg.norm(apart)), abs=0.30)
            numbers += 1
        elif row.form == "yes_no" and row.type in ("tall_predicate", "left_predicate", "front_predicate"):
            a, b = named
            says = {
                "tall_predicate": a.high[2] > b.high[2],
                "left_predicate": a.low[1] + a.high[1] > b.low[1] + b.high[1],  # looks along +x, +y is to its left
                "front_predicate": a.low[0] + a.high[0] < b.low[0] + b.high[0],
            }[row.type]
            assert row.truth == ("yes" if says else "no"), row.question
            words += 1
    assert numbers >= 2
    assert words > 0


def test_without_ground_nothing_is_asked_about_heights(tmp_path: Path) -> None:
    write_images(tmp_path / "pictures", ground=False)
    run = import_run(tmp_path / "pictures", "images", tmp_path / "run")
    assert [model.is_upright for model in run.scene.models] == [False, False]
    assert [model.floor_z for model in run.scene.models] == [None, None]
    assert "import.not_upright" in {finding.code for finding in run.findings}
    make_data(tmp_path / "run", ["spatial"])
    rows = Run(tmp_path / "run").rows("spatial")
    assert rows
    assert not any(row.upright for row in rows)
    assert not {row.type for row in rows} & {"height", "elevation", "above_predicate", "tall_choice", "stands_on"}


def test_a_thing_without_mask_has_a_place_and_no_size(tmp_path: Path) -> None:
    lines = write_images(tmp_path / "pictures", rolls=(0.0,))
    boxed = []
    for thing in lines[0]["things"]:
        height, width = thing["mask"]["height"], thing["mask"]["width"]
        ends = np.cumsum(thing["mask"]["counts"])
        flat = np.zeros(height * width, dtype=bool)
        for start, end in zip(ends[::2], ends[1::2], strict=False):
            flat[start:end] = True
        y, x = np.nonzero(flat.reshape(width, height).T)
        box = [float(x.min()), float(y.min()), float(x.max() + 1), float(y.max() + 1)]
        boxed.append({**{key: thing[key] for key in ("label", "caption", "score")}, "box_xyxy": box})
    write_lines(tmp_path / "pictures", [{**lines[0], "things": boxed}])
    import_run(tmp_path / "pictures", "images", tmp_path / "run")
    make_data(tmp_path / "run", ["spatial"])
    types = {row.type for row in Run(tmp_path / "run").rows("spatial")}
    assert types
    assert not types & {"height", "width", "gap", "tall_predicate", "wide_choice", "big_choice", "passage"}


def test_pictures_without_depth_have_no_pose_and_are_asked_about_as_pictures(tmp_path: Path) -> None:
    write_images(tmp_path / "all")
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for name in ("view0.png", "view1.png"):
        (tmp_path / "all" / name).rename(pictures / name)
    run = import_run(pictures, "images", tmp_path / "run")
    assert len(run.scene.frames) == 2
    assert not run.scene.models
    assert {"import.no_depth", "import.no_things"} <= {finding.code for finding in run.findings}
    make_data(tmp_path / "run", ["spatial"])
    rows = Run(tmp_path / "run").rows("spatial")
    assert {view for row in rows for view in row.views} == {1, 2}
    for row in rows:
        assert (row.level, row.scale_status) == ("2d", "relative")
        places = [reference.mark.xy for reference in row.references]
        if row.type in ("picture_left_choice", "picture_up_choice"):
            axis = 0 if row.type == "picture_left_choice" else 1
            assert row.truth == f"mark {1 + int(np.argmin([place[axis] for place in places]))}"
        elif row.type == "picture_across_order":
            assert row.truth == ", ".join(str(1 + number) for number in np.argsort([place[0] for place in places]))


def test_an_import_replaces_an_import_and_never_a_tour(tmp_path: Path) -> None:
    write_images(tmp_path / "pictures")
    import_run(tmp_path / "pictures", "images", tmp_path / "run")
    make_data(tmp_path / "run", ["spatial"])
    again = import_run(tmp_path / "pictures", "images", tmp_path / "run", ImportOptions(licence="CC0"))
    assert again.kinds == ()
    assert again.scene.source.licence == "CC0"
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text(encoding="utf-8"))
    del manifest["imported"]
    (tmp_path / "run" / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(UsageError, match="holds the run of a tour"):
        import_run(tmp_path / "pictures", "images", tmp_path / "run")


def test_a_picture_that_is_cut_short_is_refused_and_one_with_video_behind_it_is_not(tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    data = cv2.imencode(".jpg", np.random.default_rng(2).integers(0, 255, (40, 80, 3), dtype=np.uint8))[1].tobytes()
    (pictures / "a.jpg").write_bytes(data[: len(data) // 2])
    with pytest.raises(RoomtourError, match=r"a\.jpg: is cut short: a JPEG without its end"):
        import_run(pictures, "images", tmp_path / "cut")
    (pictures / "a.jpg").write_bytes(data + b"a second of video" * 99)
    run = import_run(pictures, "images", tmp_path / "run")
    kept = tmp_path / "run" / "frames" / run.scene.frames[0].image
    assert find_picture_fault(kept.read_bytes()) is None


def test_a_picture_on_its_side_is_turned_before_anything_is_read(tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    ok, jpeg = cv2.imencode(".jpg", np.zeros((40, 80, 3), dtype=np.uint8))
    assert ok
    exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
    data = jpeg.tobytes()
    turned = data[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + data[2:]
    (pictures / "a.jpg").write_bytes(turned)
    run = import_run(pictures, "images", tmp_path / "run")
    frame = run.scene.frames[0]
    assert (frame.width, frame.height) == (40, 80)
    kept = cv2.imread(str(tmp_path / "run" / "frames" / frame.image), cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)
    assert kept is not None
    assert kept.shape[:2] == (80, 40)
