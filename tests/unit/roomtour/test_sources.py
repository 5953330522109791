import json
import os
import re
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from recon import pictures as pictures_module
from roomtour.errors import RoomtourError
from roomtour.sources import plan_tours, safe_name, source_key


def test_one_input_is_the_run_folder_itself_and_several_get_one_each(tmp_path):
    inputs = [tmp_path / "one.mp4", tmp_path / "two.mp4"]
    for path in inputs:
        path.write_bytes(b"")
    assert [tour.run for tour in plan_tours(inputs[:1], tmp_path / "out")] == [tmp_path / "out"]
    assert [tour.run.name for tour in plan_tours(inputs, tmp_path / "out")] == ["one", "two"]
    with pytest.raises(RoomtourError, match="no such file"):
        source_key(Path("nowhere.mp4"))


def test_a_folder_of_videos_stands_for_its_videos_and_one_with_images_for_a_tour(tmp_path):
    for name in ("b.MOV", "a.mp4", "notes.txt", "upstairs/c.mkv", "frames/1.jpg", "frames/clip.mp4"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    tours = plan_tours([tmp_path], tmp_path / "out")
    assert [(tour.name, tour.run) for tour in tours] == [
        (name, tmp_path / "out" / name) for name in ("a", "b", "clip", "c")
    ]
    assert [tour.name for tour in plan_tours([tmp_path / "upstairs"], tmp_path / "out")] == ["c"]
    assert [tour.name for tour in plan_tours([tmp_path / "frames"], tmp_path / "out")] == ["frames"]


def make_two_of_one_name(folder):
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / name / "tour.mp4").write_bytes(b"")
    return [folder / "a" / "tour.mp4", folder / "b" / "tour.mp4"]


def test_two_inputs_of_one_name_are_told_apart_in_any_order(tmp_path):
    inputs = make_two_of_one_name(tmp_path)
    tours = plan_tours(inputs, tmp_path / "out")
    turned = plan_tours(inputs[::-1], tmp_path / "out")
    assert {tour.name: tour.source for tour in tours} == {tour.name: tour.source for tour in turned}
    assert len({tour.name for tour in tours}) == 2
    assert all(re.fullmatch("tour-[0-9a-f]{4}", tour.name) and tour.run.name == tour.name for tour in tours)


def test_a_tour_or_a_name_given_twice_is_refused(tmp_path):
    first, _ = make_two_of_one_name(tmp_path)
    rows = [{"source": f"{name}/tour.mp4", "name": "same"} for name in "ab"]
    (tmp_path / "tours.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    for inputs in ([first, first], [tmp_path / "tours.jsonl"]):
        with pytest.raises(RoomtourError, match="give each tour once, and each name"):
            plan_tours(inputs, tmp_path / "out")


def test_names_are_safe_for_files_and_ids(tmp_path, subtests):
    for name, safe in (
        ("my tour|1.mp4", "my_tour_1"),
        ("a%b.mp4", "a_b"),
        ("..mp4", "tour"),
        ("<script>.mp4", "script"),
    ):
        with subtests.test(str(name)):
            (tmp_path / name).write_bytes(b"")
            assert safe_name(tmp_path / name) == safe


def test_the_key_follows_the_content_not_the_name(tmp_path, pictures):
    first, second = tmp_path / "a.mp4", tmp_path / "b.mp4"
    first.write_bytes(b"same")
    second.write_bytes(b"same")
    assert source_key(first) == source_key(second)
    second.write_bytes(b"diff")
    assert source_key(first) != source_key(second)
    shutil.copytree(pictures, tmp_path / "copy", copy_function=shutil.copy)
    for path in (tmp_path / "copy").rglob("*"):
        os.utime(path, (0, 0))
    assert source_key(tmp_path / "copy") == source_key(pictures)


@pytest.fixture
def pictures(tmp_path):
    folder = tmp_path / "pictures"
    (folder / "more").mkdir(parents=True)
    for number in range(3):
        (folder / f"{number}.jpg").write_bytes(bytes([number]) * 200_000)
    (folder / "more" / "x.jpg").write_bytes(b"more")
    return folder


@pytest.mark.parametrize("change", ["first byte", "last byte", "longer", "renamed", "one more", "below"])
def test_the_key_of_a_folder_follows_its_files(pictures, change):
    before = source_key(pictures)
    picture = pictures / "1.jpg"
    content = picture.read_bytes()
    if change == "first byte":
        picture.write_bytes(b"\7" + content[1:])
    elif change == "last byte":
        picture.write_bytes(content[:-1] + b"\7")
    elif change == "longer":
        picture.write_bytes(content + b"\1")
    elif change == "renamed":
        picture.rename(pictures / "4.jpg")
    elif change == "one more":
        (pictures / "4.jpg").write_bytes(b"")
    else:
        (pictures / "more" / "x.jpg").write_bytes(b"less")
    assert source_key(pictures) != before


def test_a_text_file_lists_paths_beside_it(tmp_path):
    (tmp_path / "a.mp4").write_bytes(b"x")
    (tmp_path / "tours.txt").write_text("# mine\n\na.mp4\n/elsewhere/b.mp4\n")
    tours = plan_tours([tmp_path / "tours.txt"], tmp_path / "out")
    assert [(tour.name, str(tour.source)) for tour in tours] == [
        ("a", str(tmp_path / "a.mp4")),
        ("b_mp4", "/elsewhere/b.mp4"),
    ]
    (tmp_path / "tours.txt").write_text("# nothing\n")
    with pytest.raises(RoomtourError, match=r"tours.txt: lists no tour; need a line the path of a video"):
        plan_tours([tmp_path / "tours.txt"], tmp_path / "out")


def test_what_a_system_leaves_in_a_folder_changes_nothing_and_a_new_decoder_does(tmp_path, monkeypatch):
    (tmp_path / "1.jpg").write_bytes(b"x")
    first = source_key(tmp_path)
    for name in (".DS_Store", "._1.jpg", "Thumbs.db"):
        (tmp_path / name).write_bytes(b"y")
    assert source_key(tmp_path) == first
    (tmp_path / "2.heic").write_bytes(b"\0\0\0\x14ftypheic\0\0\0\0heic")
    keys = set()
    for decoder in (None, ModuleType("pi_heif")):
        monkeypatch.setattr(pictures_module, "_heic_decoder", lambda found=decoder: found)
        keys.add(source_key(tmp_path))
    assert len({first, *keys}) == 3
