import sys

import pytest

from roomtour.cli import main
from tests.support.runs.made_tour import make_run
from tests.support.runs.run_folder import write_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("command") / "run"
    (folder / "frames").mkdir(parents=True)
    return write_run(folder, make_run(folder / "frames"))


def test_it_writes_one_offline_file_and_says_where(run, tmp_path, capsys):
    path = tmp_path / "tour.html"
    assert main(["view", str(run), "--html", str(path), "--frames", "4", "--points", "300"]) == 0
    assert f"{path}: " in capsys.readouterr().out
    assert "300 of " in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--model", "9"], "--model 9: no such model; this run has 0"),
        (["--points", "0"], "--points 0"),
        (["--frames", "0"], "--frames 0"),
        (["--port", "70000"], "--port 70000"),
    ],
)
def test_what_cannot_be_shown_is_one_line(run, capsys, arguments, said):
    assert main(["view", str(run), *arguments]) == 1
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_folder_that_is_no_run_is_one_line(tmp_path, capsys):
    assert main(["view", str(tmp_path)]) == 1
    assert "no run folder" in capsys.readouterr().err


def test_without_viser_it_says_what_to_install(run, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "viser", None)
    assert main(["view", str(run)]) == 1
    assert 'pip install "roomtour[view]"' in capsys.readouterr().err
