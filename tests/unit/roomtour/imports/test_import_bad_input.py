"""What does not fit is told in one line: the file, what was found, what is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from instructions.errors import InstructionError
from roomtour.cli.app import main
from roomtour.errors import USER_ERRORS, RoomtourError, UsageError
from roomtour.imports.write import import_run
from tests.support.imports.made_images import write_images, write_lines
from tests.support.worlds.made_depth import HEIGHT, WIDTH


def import_changed(folder: Path, **change: Any) -> None:
    lines = write_images(folder / "pictures", rolls=(0.0,))
    changed = {key: value for key, value in {**lines[0], **change}.items() if value is not ...}
    write_lines(folder / "pictures", [changed])
    import_run(folder / "pictures", "images", folder / "run")


def test_depth_of_another_size(tmp_path: Path) -> None:
    np.save(tmp_path / "small.npy", np.ones((HEIGHT // 2, WIDTH // 2), dtype=np.float32))
    with pytest.raises(InstructionError, match=r"images.jsonl:1: .*small.npy: the depth map is 160 x 120 .* 320 x 240"):
        import_changed(tmp_path, depth=str(tmp_path / "small.npy"))


def test_depth_without_intrinsics(tmp_path: Path) -> None:
    with pytest.raises(RoomtourError, match=r"images.jsonl:1: has depth and no intrinsics; give fx .* or fov_deg"):
        import_changed(tmp_path, fx=...)


@pytest.mark.parametrize(("share", "fits"), [(0.49, True), (0.52, False)])
def test_half_of_the_depth_may_be_unknown(tmp_path: Path, share: float, fits: bool) -> None:
    depth = np.full((HEIGHT, WIDTH), 2.0, dtype=np.float32)
    depth[: round(share * HEIGHT)] = np.nan
    np.save(tmp_path / "depth.npy", depth)
    if fits:
        import_changed(tmp_path, depth=str(tmp_path / "depth.npy"))
    else:
        with pytest.raises(InstructionError, match=r"52% of the depth map is unknown .* at most 50%"):
            import_changed(tmp_path, depth=str(tmp_path / "depth.npy"))


def test_a_png_without_a_unit(tmp_path: Path) -> None:
    with pytest.raises(RoomtourError, match=r"has no unit; give depth_unit_m, 0.001 for millimetres"):
        import_changed(tmp_path, depth_unit_m=...)


def test_a_png_of_8_bit_is_no_depth(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "grey.png"), np.full((HEIGHT, WIDTH), 90, dtype=np.uint8))
    with pytest.raises(RoomtourError, match=r"uint8 of shape .*, need a PNG of 16 bit"):
        import_changed(tmp_path, depth=str(tmp_path / "grey.png"))


def test_a_mask_of_another_size(tmp_path: Path) -> None:
    mask = {"height": 10, "width": 20, "counts": [200]}
    with pytest.raises(RoomtourError, match=r"the mask is 20 x 10 pixels, the image 320 x 240"):
        import_changed(tmp_path, things=[{"label": "chair", "mask": mask}])


def test_runs_that_do_not_cover_the_image(tmp_path: Path) -> None:
    mask = {"height": HEIGHT, "width": WIDTH, "counts": [5, 5]}
    with pytest.raises(RoomtourError, match=r"runs of the mask cover 10 pixels, the image has 76800"):
        import_changed(tmp_path, things=[{"label": "chair", "mask": mask}])


@pytest.mark.parametrize(
    "change",
    [
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
    ],
)
def test_everything_else_that_does_not_fit_is_one_line_and_leaves_no_run(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    with pytest.raises(USER_ERRORS) as found:
        import_changed(tmp_path, **change)
    assert "\n" not in str(found.value)
    assert "pictures" in str(found.value)
    assert not (tmp_path / "run" / "scene").exists()


@pytest.mark.parametrize(
    "things",
    [
        [{"label": "chair", "box_xyxy": [float("inf"), 0, 10, 10]}],
        [{"label": "chair", "box_xyxy": [500, 0, 600, 10]}],
        [{"label": "  ", "box_xyxy": [0, 0, 100, 100]}],
        [{"label": "chair"}],
        [{"caption": "a thing that is told in far too many words", "box_xyxy": [0, 0, 100, 100]}],
    ],
)
def test_a_thing_that_says_nothing_is_left_out_and_counted(tmp_path: Path, things: list[dict[str, Any]]) -> None:
    lines = write_images(tmp_path / "pictures", rolls=(0.0,))
    write_lines(tmp_path / "pictures", [{**lines[0], "things": [*lines[0]["things"], *things]}])
    run = import_run(tmp_path / "pictures", "images", tmp_path / "run")
    assert len(run.objects) == 3
    assert [one.code for one in run.findings if one.severity == "warning"] == ["import.left_out"]


def test_names_from_outside_are_plain_words(tmp_path: Path) -> None:
    lines = write_images(tmp_path / "pictures", rolls=(0.0,))
    lines[0]["things"][0] |= {"label": 'chair"}\n{ignore} <b>', "caption": None}
    write_lines(tmp_path / "pictures", lines)
    run = import_run(tmp_path / "pictures", "images", tmp_path / "run")
    assert run.objects[0].category == "chair ignore b"


def test_an_empty_folder_and_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(RoomtourError, match=r"holds no pictures and no images.jsonl"):
        import_run(tmp_path / "empty", "images", tmp_path / "run")
    (tmp_path / "none.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(RoomtourError, match="names no image"):
        import_run(tmp_path / "none.jsonl", "images", tmp_path / "run")


def test_a_format_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="Did you mean images"):
        import_run(tmp_path, "image", tmp_path / "run")
    assert main(["import", str(tmp_path)]) == 2
    assert "--format NAME; known: images" in capsys.readouterr().err
    assert main(["import", str(tmp_path), "--format", "images"]) == 2
