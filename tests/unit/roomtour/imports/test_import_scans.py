"""Scans without cameras: questions about the world itself, answered as the files alone say, to the end of an export."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from instructions.questions.core.records import Question
from roomtour.artifacts import OBJECTS, SCANS
from roomtour.cli import main
from roomtour.errors import UsageError
from roomtour.imports.records import ImportOptions
from roomtour.imports.write import import_run, import_scenes
from roomtour.run import Run
from tests.support.imports.made_scans import make_box, write_meta, write_video
from tests.support.imports.made_sprite import PLAN, write_sprite
from tests.support.imports.scan_reader import ScanReader

SCENES = 6


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A run of six scans, from the command line, and what their file holds."""
    folder = tmp_path_factory.mktemp("scans")
    meta = write_meta(folder / "meta.json", SCENES)
    assert main(["import", str(folder / "meta.json"), "--format", "vsi", "--out", str(folder / "run")]) == 0
    assert main(["make", str(folder / "run"), "--data", "programs"]) == 0
    return folder, meta


def rows_of(made: tuple[Path, dict[str, Any]]) -> tuple[Question, ...]:
    return Run(made[0] / "run").rows("programs")


def plain(row: Question) -> dict[str, Any]:
    references = [{"phrase": one.phrase} for one in row.references]
    return {"type": row.type, "given": row.given, "references": references}


def said(wanted: Any) -> Any:
    """True and false as rows write them."""
    return ("no", "yes")[bool(wanted)] if isinstance(wanted, bool | np.bool_) else wanted


def say(row: Question) -> Any:
    """The truth with phrases for ids, as a reader of the file says it."""
    phrase = {one.object: one.phrase for one in row.references}
    if row.form == "thing":
        return phrase[str(row.truth)]
    if isinstance(row.truth, tuple):
        said = [phrase[one] for one in row.truth]
        return said if row.form == "order" else set(said)
    return row.truth


def test_every_answer_is_the_one_of_the_file_alone(made):
    """Facing, distances of solids, tilted boxes, counts, compounds: by a reader that shares no code."""
    scenes = list(made[1].values())
    rows = rows_of(made)
    assert len(rows) > 60 * SCENES
    assert {row.type for row in rows} >= {
        "size_estimation", "size_comparison", "volume_estimation", "volume_comparison", "above", "below",
        "high_and_low", "facing_complex", "facing_simple", "absolute_distance", "relative_distance", "nearby",
        "counting", "height_determination", "vsi_object_counting", "vsi_absolute_distance", "vsi_object_size",
        "vsi_room_size", "vsi_relative_distance", "vsi_direction_easy", "vsi_direction_medium",
        "vsi_direction_hard", "vsi_route_plan",
    }  # fmt: skip
    for row in rows:
        wanted = ScanReader(scenes[int(row.model)]).answer(plain(row))
        if row.form == "number":
            assert row.truth == pytest.approx(wanted, rel=1e-3), row
        else:
            assert say(row) == said(wanted), row


def test_wrong_options_are_false_by_the_file_and_the_right_one_is_true(made):
    scenes = list(made[1].values())
    told = 0
    for row in rows_of(made):
        if row.correct is None or row.form not in ("thing", "label", "number"):
            continue
        wanted = ScanReader(scenes[int(row.model)]).answer(plain(row))
        phrase = {one.object: one.phrase for one in row.references}
        for place, value in enumerate(row.choice_values):
            if row.form == "number":
                is_true = abs(float(value) - wanted) < 0.2 * wanted
            else:
                is_true = phrase.get(value, value) == wanted
            assert is_true == (place == row.correct), row
            told += 1
    assert told > 200


def test_a_category_whose_counts_differ_is_not_counted(made):
    """The first category of every scene states one more than it lists."""
    folder, meta = made
    short = [next(iter(scene["object_counts"])).replace("_", " ") for scene in meta.values()]
    counted = {(int(row.model), dict(row.given)["category"]) for row in rows_of(made) if "counting" in row.type}
    assert counted
    assert not counted & set(enumerate(short))
    told = json.loads((folder / "run" / "programs" / "counts.json").read_text())["not_asked"]
    assert "count_differs" in json.dumps(told)
    assert len([one for one in Run(folder / "run").findings if one.code == "import.counts"]) == SCENES


def test_axes_that_are_columns_and_bounds_that_do_not_fit_are_told(tmp_path):
    rng = np.random.default_rng(3)
    meta = write_meta(tmp_path / "meta.json", 1)
    scene = next(iter(meta.values()))
    right, turned = (make_box("sofa", (1.0, 2.0), rng, tilted=True) for _ in range(2))
    turned["normalizedAxes"] = np.reshape(turned["normalizedAxes"], (3, 3)).T.reshape(-1).tolist()
    scene["object_bbox"] |= {"sofa": [right, turned]}
    scene["object_counts"]["sofa"] = 2
    (tmp_path / "meta.json").write_text(json.dumps(meta))
    run = import_run(tmp_path / "meta.json", "vsi", tmp_path / "run")
    assert sum(one.category == "sofa" for one in run.objects) == 1
    assert any("met with the axes as columns" in one.message for one in run.findings if one.code == "import.dropped")
    assert "sofa" in run.scans[0].uncounted


def test_a_tilted_box_has_a_longest_side_but_no_length(tmp_path):
    rng = np.random.default_rng(4)
    meta = write_meta(tmp_path / "meta.json", 1)
    scene = next(iter(meta.values()))
    leaning = make_box("bookshelf", (2.0, 0.0), rng, tilted=True)
    scene["object_bbox"], scene["object_counts"] = {"bookshelf": [leaning]}, {"bookshelf": 1}
    (tmp_path / "meta.json").write_text(json.dumps(meta))
    import_run(tmp_path / "meta.json", "vsi", tmp_path / "run")
    assert main(["make", str(tmp_path / "run"), "--data", "programs"]) == 0
    rows = Run(tmp_path / "run").rows("programs")
    sides = {dict(row.given)["side"] for row in rows if row.type == "size_estimation"}
    assert sides <= {"height"}
    longest = [row.truth for row in rows if row.type == "vsi_object_size"]
    assert longest == pytest.approx([100 * max(leaning["axesLengths"])])


# ------------------------------------------------------------- exports


def test_vsibench_names_scenes_as_the_benchmark_does(made, tmp_path):
    folder, meta = made
    assert main(["export", str(folder / "run"), "--format", "vsibench", "--out", str(tmp_path / "out")]) == 0
    table = pq.read_table(tmp_path / "out" / "test.parquet").to_pylist()
    assert {(one["dataset"], one["scene_name"]) for one in table} == {("scannet", name) for name in meta}
    assert {one["video"] for one in table} == {"own"}
    assert main(["validate", str(tmp_path / "out")]) == 0
    (tmp_path / "out" / "scannet").mkdir()
    (tmp_path / "out" / "scannet" / "scene0000_00.mp4").write_bytes(b"no video")
    assert main(["validate", str(tmp_path / "out")]) != 0


def test_a_scan_goes_out_as_sprite_and_comes_back(made, tmp_path):
    """With turned boxes: every corner to 1e-6 m."""
    folder, _ = made
    out = ["--out", str(tmp_path / "out"), "--options", "turned=true"]
    assert main(["export", str(folder / "run"), "--format", "sprite", *out]) == 0
    assert main(["validate", str(tmp_path / "out")]) == 0
    back = import_run(tmp_path / "out", "sprite", tmp_path / "back")
    assert back.scene.frames == ()
    wanted = {}
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    for one, other in zip(Run(folder / "run").objects, back.objects, strict=True):
        corners = [
            np.array(box.center) + (signs * box.half_extents) @ np.array(box.rotation).T for box in (one.obb, other.obb)
        ]
        assert corners[0] == pytest.approx(corners[1], abs=1e-6)
        wanted[one.id] = other.id
    assert len(wanted) > 60


# ------------------------------------------------------------- with the scans' videos


def test_views_of_a_video_go_with_the_questions(tmp_path):
    meta = write_meta(tmp_path / "meta.json", 3)
    names = list(meta)
    write_video(tmp_path / "videos" / "scannet" / f"{names[0]}.mp4", 90)
    write_video(tmp_path / "videos" / "scannet" / f"{names[1]}.mp4", 20)
    source = ["import", str(tmp_path / "meta.json"), "--format", "vsi", "--out", str(tmp_path / "run")]
    assert main([*source, "--videos", str(tmp_path / "videos")]) == 0
    run = Run(tmp_path / "run")
    assert [len(scan.views) for scan in run.scans] == [32, 20, 0]
    assert any(one.code == "import.no_video" and names[2] in one.where for one in run.findings)
    assert main(["make", str(tmp_path / "run"), "--data", "programs"]) == 0
    views = {row.model: row.views for row in Run(tmp_path / "run").rows("programs")}
    assert views == {scan.model: scan.views for scan in run.scans}
    for name, options in (("messages", ["videos=true"]), ("vsibench", []), ("llava", []), ("verl", [])):
        out = tmp_path / name
        extra = ["--options", *options] if options else []
        assert main(["export", str(tmp_path / "run"), "--format", name, "--out", str(out), *extra]) == 0
        assert main(["validate", str(out)]) == 0
    table = pq.read_table(tmp_path / "vsibench" / "test.parquet").to_pylist()
    assert {one["scene_name"] for one in table} == {"meta_m0", "meta_m1", names[2]}
    assert len(list((tmp_path / "messages" / "videos").glob("*.mp4"))) == 2


def test_a_video_is_looked_for_below_its_folder_only(tmp_path):
    meta = write_meta(tmp_path / "meta.json", 1)
    next(iter(meta.values()))["video_path"] = "../outside.mp4"
    (tmp_path / "meta.json").write_text(json.dumps(meta))
    write_video(tmp_path / "outside.mp4", 4)
    (tmp_path / "videos").mkdir()
    run = import_run(tmp_path / "meta.json", "vsi", tmp_path / "run", ImportOptions(videos=tmp_path / "videos"))
    assert run.scene.frames == ()
    assert "import.no_video" in {one.code for one in run.findings}


# ------------------------------------------------------------- SPRITE's files without poses


def test_sprite_files_without_poses_are_a_scan(tmp_path):
    source = write_sprite(tmp_path / "sprite")
    shutil.rmtree(source / "camera_pose")
    assert main(["import", str(source), "--format", "sprite", "--out", str(tmp_path / "run")]) == 0
    assert main(["make", str(tmp_path / "run"), "--data", "programs"]) == 0
    run = Run(tmp_path / "run")
    assert [one.code for one in run.findings if one.code.startswith("import")] == ["import.no_camera"]
    rows = run.rows("programs")
    center = {called: np.array(at) for name, category, at, _ in PLAN for called in (name, category)}
    told = 0
    for row in rows:
        names = [one.phrase.removeprefix("the ") for one in row.references]
        if row.type == "absolute_distance" and dict(row.given)["sense"] == "center":
            assert row.truth == pytest.approx(float(np.linalg.norm(center[names[0]] - center[names[1]])))
            told += 1
    assert told
    assert {(dict(row.given)["category"], row.truth) for row in rows if row.type == "counting"} >= {("chair", 2.0)}


def test_scenes_apart_are_runs_and_go_to_splits_of_their_own(made, tmp_path, capsys):
    folder, meta = made
    assert (
        main(["import", str(folder / "meta.json"), "--format", "vsi", "--out", str(tmp_path / "runs"), "--apart"]) == 0
    )
    runs = sorted((tmp_path / "runs").iterdir())
    assert [run.name for run in runs] == sorted(meta)  # names of made scenes are folder names
    assert f"{SCENES} runs" in capsys.readouterr().out
    assert [[scan.name for scan in SCANS.read(run)] for run in runs] == [[name] for name in sorted(meta)]
    whole = {one.category for one in OBJECTS.read(folder / "run")}
    assert {one.category for run in runs for one in OBJECTS.read(run)} == whole
    names = list(map(str, runs))
    assert main(["make", *names, "--data", "programs"]) == 0
    out = tmp_path / "rows"
    flags = ["--format", "jsonl", "--data", "programs", "--out", str(out), "--options", "val_share=0.5"]
    assert main(["export", *names, *flags]) == 0
    split_of: dict[str, set[str]] = {}
    for line in (out / "programs.jsonl").read_text().splitlines():
        row = json.loads(line)
        split_of.setdefault(row["tour"], set()).add(row["split"])
    assert set(split_of) == set(meta)
    assert all(len(splits) == 1 for splits in split_of.values())
    assert set().union(*split_of.values()) == {"train", "val"}
    one = import_scenes(folder / "meta.json", "vsi", tmp_path / "again")[0]
    assert OBJECTS.read(one.path) == OBJECTS.read(tmp_path / "runs" / one.path.name)


def test_scenes_whose_names_make_one_folder_are_refused_and_none_leaves_it(tmp_path):
    meta = write_meta(tmp_path / "meta.json", 2)
    first, second = meta.values()
    for names, error in ((("a b", "a/b"), "would both be"), (("../up", "down"), None)):
        (tmp_path / "named.json").write_text(json.dumps(dict(zip(names, (first, second), strict=True))))
        if error is not None:
            with pytest.raises(UsageError, match=error):
                import_scenes(tmp_path / "named.json", "vsi", tmp_path / "bad")
            assert not (tmp_path / "bad").exists()
        else:
            runs = import_scenes(tmp_path / "named.json", "vsi", tmp_path / "good")
            assert [run.path for run in runs] == [tmp_path / "good" / "up", tmp_path / "good" / "down"]
    with pytest.raises(UsageError, match="holds one scene"):
        import_scenes(tmp_path, "images", tmp_path / "bad")
