"""What gets into the page of a dataset: texts as data, pictures of the folder only."""

import os
from pathlib import Path

import pytest

from roomtour.browse.records import Pictures
from roomtour.cli import main
from roomtour.export.core.folder import write_marker
from tests.support.page_rows import read_page, write_messages

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(1)><!-- \u2028 \ud800 \u202e \x1b[2J"


def test_texts_stay_data_and_are_not_lost(tmp_path: Path) -> None:
    rows = [
        {"id": EVIL, "messages": [{"role": EVIL, "content": EVIL}], "type": EVIL, "solution": EVIL, EVIL: EVIL},
        {"id": "b", "messages": [{"role": "user", "content": "<image><image>\nÄ 人?"}], "images": []},
    ]
    assert main(["browse", str(write_messages(tmp_path / EVIL.split("/")[0], rows))]) == 0
    (page,) = tmp_path.glob("*.html")
    (evil, plain), names = read_page(page)
    assert names.count("script") == 2  # the data and our own
    assert "img" not in names
    for text in (evil["id"], evil["type"], *evil["turns"][0], *evil["fields"]):
        assert text.startswith("</script><script>alert(1)")
        assert not set("\ud800\u202e\x1b") & set(text)
    assert plain["turns"] == [["user", "<image> × 2\nÄ 人?"]]


@pytest.mark.posix
def test_a_name_that_leaves_the_folder_is_not_shown_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "secret.png"
    outside = [
        "../secret.png",
        "images/../../secret.png",
        str(secret),
        "..\\secret.png",
        "linked.png",
        "there/secret.png",
    ]
    dataset = write_messages(tmp_path / "set", [{"id": name, "images": [name]} for name in outside])
    secret.write_bytes((dataset / "images" / "home" / "1 a#.png").read_bytes())
    (dataset / "linked.png").symlink_to(secret)
    (dataset / "there").symlink_to(tmp_path)
    assert main(["browse", str(dataset)]) == 0
    assert f"{len(outside)} pictures not shown" in capsys.readouterr().out
    rows, _ = read_page(tmp_path / "set.browse.html")
    assert [row["pictures"][0]["address"] for row in rows] == [""] * len(outside)
    assert all(row["pictures"][0]["told"].startswith(row["id"]) for row in rows)


def test_only_pictures_and_videos_are_linked(tmp_path: Path) -> None:
    for name in ("a.svg", "b.html", "c.mp4", "d.jpg"):
        (tmp_path / name).touch()
    pictures = Pictures(tmp_path, tmp_path / "page.html")
    names = ("a.svg", "b.html", "c.mp4", "d.jpg", "d", "e.jpg", "")
    assert [pictures.find(name).address for name in names] == ["", "", "c.mp4", "d.jpg", "d.jpg", "", ""]
    assert pictures.lost == 4


def test_what_cannot_be_browsed_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    dataset, broken, poses = tmp_path / "set", tmp_path / "broken", tmp_path / "poses"
    write_messages(dataset, [{"id": "a"}])
    write_messages(broken, [{"id": "a"}])
    with (broken / "train.jsonl").open("a") as file:
        file.write("[1]\n")
    poses.mkdir()
    write_marker(poses, {"format": "tum"}, [])
    (tmp_path / "other").mkdir()
    write_messages(tmp_path / "empty", [])
    for words, code, said in (
        (["other"], 1, "neither a run folder nor a dataset"),
        (["poses"], 1, "format tum keeps no rows"),
        (["empty"], 1, "no rows"),
        (["broken"], 1, "broken/train.jsonl: cannot be read: a row is list"),
        (["set", "--out", "set/train.jsonl"], 2, "need a name that ends in .html"),
    ):
        with subtests.test(" ".join(words)):
            assert (
                main(["browse", *(os.path.join(tmp_path, word) if word[0] != "-" else word for word in words)]) == code
            )
            (line,) = capsys.readouterr().err.splitlines()
            assert said in line
    assert not list(tmp_path.glob("*.html"))
