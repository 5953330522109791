"""What does not fit is told in one line: the file, what was found, what is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from roomtour.errors import USER_ERRORS
from roomtour.imports.write import import_run
from tests.support.imports.made_images import write_images, write_lines
from tests.support.worlds.made_depth import HEIGHT, WIDTH


def import_changed(folder: Path, **change: Any) -> None:
    lines = write_images(folder / "pictures", rolls=(0.0,))
    changed = {key: value for key, value in {**lines[0], **change}.items() if value is not ...}
    write_lines(folder / "pictures", [changed])
    import_run(folder / "pictures", "images", folder / "run")


def test_what_does_not_fit_is_told_with_the_place_and_what_is_needed(tmp_path: Path, subtests: pytest.Subtests) -> None:
    small = np.ones((HEIGHT // 2, WIDTH // 2), dtype=np.float32)
    np.save(tmp_path / "small.npy", small)
    known, unknown = (np.full((HEIGHT, WIDTH), 2.0, dtype=np.float32) for _ in range(2))
    known[: round(0.49 * HEIGHT)] = unknown[: round(0.52 * HEIGHT)] = np.nan
    np.save(tmp_path / "known.npy", known)
    np.save(tmp_path / "unknown.npy", unknown)
    cv2.imwrite(str(tmp_path / "gray.png"), np.full((HEIGHT, WIDTH), 90, dtype=np.uint8))
    other = {"height": 10, "width": 20, "counts": [200]}
    short = {"height": HEIGHT, "width": WIDTH, "counts": [5, 5]}
    for number, (change, words) in enumerate(
        (
            ({"depth": "small.npy"}, r"images.jsonl:1: .*small.npy: the depth map is 160 x 120 .* 320 x 240"),
            ({"fx": ...}, r"images.jsonl:1: has depth and no intrinsics; give fx .* or fov_deg"),
            ({"depth": "unknown.npy"}, r"52% of the depth map is unknown .* at most 50%"),
            ({"depth_unit_m": ...}, r"has no unit; give depth_unit_m, 0.001 for millimetres"),
            ({"depth": "gray.png"}, r"uint8 of shape .*, need a PNG of 16 bit"),
            ({"things": [{"label": "chair", "mask": other}]}, r"the mask is 20 x 10 pixels, the image 320 x 240"),
            ({"things": [{"label": "chair", "mask": short}]}, r"mask cover 10 pixels, the image has 76800"),
        )
    ):
        files = {name: str(tmp_path / str(value)) for name, value in change.items() if name == "depth"}
        with subtests.test(words), pytest.raises(USER_ERRORS, match=words):
            import_changed(tmp_path / str(number), **change | files)
    import_changed(tmp_path / "known", depth=str(tmp_path / "known.npy"))


def test_everything_else_that_does_not_fit_is_one_line_and_leaves_no_run(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, change in enumerate(
        (
            {"image": "nowhere.png"},
            {"depth": "nowhere.npy"},
            {"depth": "view0.png"},
            {"fx": -1.0},
            {"fx": float("nan")},
            {"fov_deg": 180.0, "fx": ...},
            {"unknown_key": 1},
            {"things": "chair"},
            {"things": [{"label": "chair", "mask": 5}]},
            {"things": [{"label": "chair", "mask": [[1, 2]]}]},
            {"things": [{"label": "chair", "mask": {"size": [240, 320], "counts": "\x00"}}]},
            {"things": [{"label": "chair", "score": 2}]},
            {"ground": {"height": 1, "width": 1, "counts": [1]}},
            {"image": ...},
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        with subtests.test(str(change)):
            with pytest.raises(USER_ERRORS) as found:
                import_changed(folder, **change)
            assert "\n" not in str(found.value)
            assert "pictures" in str(found.value)
            assert not (folder / "run" / "scene").exists()


def test_things_that_say_nothing_are_left_out_and_counted(tmp_path: Path) -> None:
    lines = write_images(tmp_path / "pictures", rolls=(0.0,))
    things = (
        {"label": "chair", "box_xyxy": [float("inf"), 0, 10, 10]},
        {"label": "chair", "box_xyxy": [500, 0, 600, 10]},
        {"label": "  ", "box_xyxy": [0, 0, 100, 100]},
        {"label": "chair"},
        {"caption": "a thing that is told in far too many words", "box_xyxy": [0, 0, 100, 100]},
    )
    write_lines(tmp_path / "pictures", [{**lines[0], "things": [*lines[0]["things"], *things]}])
    run = import_run(tmp_path / "pictures", "images", tmp_path / "run")
    assert len(run.objects) == 3
    warnings = [one for one in run.findings if one.severity == "warning"]
    assert {one.code for one in warnings} == {"import.left_out"}
    assert sum(int(one.message.split()[0]) for one in warnings) == 5


def test_names_from_outside_are_plain_words(tmp_path: Path) -> None:
    lines = write_images(tmp_path / "pictures", rolls=(0.0,))
    lines[0]["things"][0] |= {"label": 'chair"}\n{ignore} <b>', "caption": None}
    write_lines(tmp_path / "pictures", lines)
    run = import_run(tmp_path / "pictures", "images", tmp_path / "run")
    assert run.objects[0].category == "chair ignore b"
