"""The commands as a user meets them."""

import importlib.metadata

import pytest

from roomtour.cli import main
from roomtour.cli.app import COMMANDS, load_command
from roomtour.options.fields import config_options


def last_line(capsys: pytest.CaptureFixture[str]) -> str:
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    return captured.err.strip().splitlines()[-1]


def test_help_of_process_fits_two_screens(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "100")
    assert main(["process", "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 100
    assert max(len(line) for line in lines) <= 100
    listed = [line for line in lines if line.startswith("  --")]
    assert 35 <= len(listed) <= 55
    assert any(line.startswith("  --sample.fps FLOAT ") and line.endswith("[3.0]") for line in listed)


def test_help_names_every_command_with_what_it_does(capsys: pytest.CaptureFixture[str]):
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    for name in COMMANDS:
        assert f"\n  {name} " in out
    assert "Turn room tours into 3D scenes" in out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_there(name: str):
    module = load_command(name)
    assert hasattr(module, "main") or callable(getattr(module, name))


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_version_is_one_line(capsys: pytest.CaptureFixture[str], flag: str):
    assert main([flag]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"roomtour {importlib.metadata.version('roomtour')} (Python ")
    assert out.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        ([], 2, "no command given; one of process"),
        (["proces"], 2, "Did you mean process?"),
        (["--versio"], 2, "Did you mean --version?"),
        (["process"], 2, "no video given"),
        (["show", "x", "--al"], 2, "show: no flag --al."),
        (["validate", "x", "--fromat", "tum"], 2, "Did you mean --format?"),
        (["models", "list", "--vision.devic", "cpu"], 2, "Did you mean --vision.device?"),
        (["options", "merge.max_rotatio"], 0, ""),
        (["options", "camera_heigth_m"], 1, "Did you mean scene.camera_height_m?"),
    ],
)
def test_unknown_names_find_the_nearest(capsys: pytest.CaptureFixture[str], args: list[str], code: int, words: str):
    assert main(args) == code
    if code:
        assert words in last_line(capsys)


@pytest.mark.parametrize("flag", ["--until", "--force"])
def test_stage_names_find_the_nearest(capsys: pytest.CaptureFixture[str], tmp_path, short_walk, flag: str):
    assert main(["process", str(short_walk), "--out", str(tmp_path / "run"), flag, "featurs"]) == 2
    assert f"{flag} featurs: no such stage. Did you mean features?" in last_line(capsys)
    assert not (tmp_path / "run").exists()


def test_formats_and_their_options_find_the_nearest(capsys: pytest.CaptureFixture[str], finished_run, tmp_path):
    export = ["export", str(finished_run), "--out", str(tmp_path / "x"), "--format"]
    assert main([*export, "roomtour3"]) == 1
    assert "Did you mean roomtour3d" in last_line(capsys)
    assert main([*export, "llava", "--options", "val_shar=0.1"]) == 1
    assert "Did you mean val_share?" in last_line(capsys)


def test_options_into_a_pipe_are_one_line_each(capsys: pytest.CaptureFixture[str]):
    assert main(["options"]) == 0
    lines = capsys.readouterr().out.splitlines()
    options = [line for line in lines if line.startswith("  ")]
    assert [line.split()[0] for line in options if " = " in line] == [line.split()[0] for line in options]
    assert sorted(line.split()[0] for line in options) == sorted(option.name for option in config_options())
    assert any("Sampling frames" in line for line in lines if not line.startswith(" "))


def test_options_of_one_section(capsys: pytest.CaptureFixture[str]):
    assert main(["options", "clips.*"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "clips: Clips inside a shot"
    assert lines[1].startswith("  clips.length_s = 100.0 (float, s, above 0)   --clips.length-s  Length of a clip (s):")
    assert len(lines) == 3


def test_the_help_of_a_command_with_words_of_its_own_has_lines(capsys: pytest.CaptureFixture[str]):
    assert main(["critic", "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("usage: roomtour critic train")
    assert len(lines) >= 4
