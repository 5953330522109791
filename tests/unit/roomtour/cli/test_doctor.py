"""What `roomtour doctor` says of a machine: sound, without an extra, without a package of the base."""

import importlib.metadata
import sys
import tomllib
from types import SimpleNamespace

import pytest

from roomtour.cli import main
from roomtour.cli.doctor import EXTRAS, _describe_gpu
from tests.support.paths import ROOT

_OF_DEVELOPERS = {"clients", "dev", "docs", "test", "test-full"}


@pytest.fixture
def told(monkeypatch, capfd):
    """Runs the command in a terminal of 80 columns, as if distributions were missing; its exit code and lines."""
    monkeypatch.setenv("COLUMNS", "80")
    find = importlib.metadata.version

    def run(*missing: str) -> tuple[int, list[str]]:
        def version(name: str) -> str:
            if name in missing:
                raise importlib.metadata.PackageNotFoundError(name)
            return find(name)

        monkeypatch.setattr(importlib.metadata, "version", version)
        code = main(["doctor"])
        return code, capfd.readouterr().out.splitlines()

    return run


def test_a_machine_on_which_tests_run_is_sound(told):
    code, lines = told()
    assert code == 0
    assert lines[-1] == "roomtour works here"
    assert any("video decoding without an installed FFmpeg: h264" in line for line in lines)
    assert max(map(len, lines)) <= 80


def test_what_is_missing_is_a_fault_of_the_base_and_none_of_an_extra(told):
    code, lines = told("openai")
    assert code == 0
    place = next(number for number, line in enumerate(lines) if line.split()[:2] == ["llm", "missing:"])
    assert any('$ pip install "roomtour[llm]"' in line for line in lines[place : place + 3])
    code, lines = told("pyarrow")
    assert code == 1
    assert any(line.split()[:2] == ["missing", "pyarrow,"] for line in lines)
    assert "1 fault of the base" in lines[-1]


def test_a_gpu_that_nothing_can_use_is_told(told, monkeypatch):
    monkeypatch.setattr("roomtour.cli.doctor.list_gpus", lambda: ("0",))
    (line,) = [line for line in told("torch")[1] if line.split()[:1] == ["GPU"]]
    assert "unused without torch" in line
    monkeypatch.setattr("roomtour.cli.doctor.find_version", lambda name: "1")
    for can, words in ((True, "for large models"), (False, "torch cannot use")):
        cuda = SimpleNamespace(is_available=lambda can=can: can)
        monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
        assert words in _describe_gpu()


def test_a_video_that_does_not_decode_is_a_fault_of_the_base(told, monkeypatch):
    monkeypatch.setattr("av.VideoFrame", lambda *_: None)  # of an empty stream no frame comes back
    code, lines = told()
    assert code == 1
    assert any("broken" in line and "video decoding" in line for line in lines)


def test_every_extra_of_a_user_is_explained():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(EXTRAS) == set(project["optional-dependencies"]) - _OF_DEVELOPERS
