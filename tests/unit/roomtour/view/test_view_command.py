import sys

import pytest

from roomtour.cli import main
from tests.support.runs.made_tour import make_run
from tests.support.runs.run_folder import write_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("command") / "run"
    (folder / "frames").mkdir(parents=True)
    return write_run(folder, make_run(folder / "frames", pictures=False))


def test_what_cannot_be_shown_is_one_line(run, capsys, monkeypatch, subtests):
    monkeypatch.setitem(sys.modules, "viser", None)
    for arguments, said in (
        (["--model", "9"], "--model 9: no such model; this run has 0"),
        (["--points", "0"], "--points 0"),
        (["--frames", "0"], "--frames 0"),
        ([], 'pip install "roomtour[view]"'),
    ):
        with subtests.test(said):
            assert main(["view", str(run), *arguments]) == 1
            (line,) = capsys.readouterr().err.splitlines()
            assert said in line
