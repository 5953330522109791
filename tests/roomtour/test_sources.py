import os
from pathlib import Path

import pytest

from roomtour.errors import RoomtourError
from roomtour.sources import plan_tours, safe_name, source_key


def test_one_input_is_the_run_folder_itself(tmp_path):
    (tour,) = plan_tours([tmp_path / "a b.mp4"], tmp_path / "out")
    assert tour.run == tmp_path / "out"


def test_several_inputs_get_a_folder_each(tmp_path):
    for name in ("one.mp4", "two.mp4"):
        (tmp_path / name).write_bytes(b"")
    tours = plan_tours([tmp_path / "one.mp4", tmp_path / "two.mp4"], tmp_path / "out")
    assert [tour.run.name for tour in tours] == ["one", "two"]


def test_two_inputs_of_one_name_are_refused(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "tour.mp4").write_bytes(b"")
    with pytest.raises(RoomtourError, match="rename one"):
        plan_tours([tmp_path / "a" / "tour.mp4", tmp_path / "b" / "tour.mp4"], tmp_path)


@pytest.mark.parametrize(
    ("name", "safe"),
    [("my tour|1.mp4", "my_tour_1"), ("a%b.mp4", "a_b"), ("..mp4", "tour"), ("<script>.mp4", "script")],
)
def test_names_are_safe_for_files_and_ids(tmp_path, name, safe):
    (tmp_path / name).write_bytes(b"")
    assert safe_name(tmp_path / name) == safe


def test_a_folder_keeps_its_dots(tmp_path):
    (tmp_path / "walk.v2").mkdir()
    assert safe_name(tmp_path / "walk.v2") == "walk_v2"


def test_the_key_follows_the_content_not_the_name(tmp_path):
    first, second = tmp_path / "a.mp4", tmp_path / "b.mp4"
    first.write_bytes(b"same")
    second.write_bytes(b"same")
    assert source_key(first) == source_key(second)
    second.write_bytes(b"diff")
    assert source_key(first) != source_key(second)


def test_the_key_of_a_folder_follows_its_files(tmp_path):
    image = tmp_path / "1.jpg"
    image.write_bytes(b"x")
    before = source_key(tmp_path)
    os.utime(image, (0, 0))
    assert source_key(tmp_path) != before


def test_a_missing_source_is_one_line():
    with pytest.raises(RoomtourError, match="no such file"):
        source_key(Path("nowhere.mp4"))
