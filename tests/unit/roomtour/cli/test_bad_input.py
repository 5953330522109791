import cv2
import pytest

from recon.errors import ReconError
from roomtour.cli import main
from tests.support.one_line import one_line
from tests.support.tour_videos import make_textured


def test_a_stage_that_fails_says_what_it_and_earlier_ones_found(capsys, tmp_path, monkeypatch):
    for number in range(8):
        height, width = (240, 320) if number else (240, 316)
        cv2.imwrite(str(tmp_path / f"{number}.png"), make_textured(number)[:height, :width])

    def fail(*_: object, **__: object) -> None:
        raise ReconError("no clip")

    monkeypatch.setattr("roomtour.stages.clips.run", fail)
    command = ["process", str(tmp_path), "--out", str(tmp_path / "run"), "--input.fps", "3", "--until", "clips"]
    assert main(command) == 1
    said = capsys.readouterr().err
    assert said.index("no clip") < said.index("[images.other_size]")


def test_an_output_folder_that_cannot_be_used_is_left_alone(capsys, tmp_path, short_walk):
    (tmp_path / "thesis.tex").write_text("mine")
    assert "thesis.tex" in one_line(capsys, "process", str(short_walk), "--out", str(tmp_path))
    below = tmp_path / "thesis.tex" / "run"
    assert "written" in one_line(capsys, "process", str(short_walk), "--out", str(below))
    assert (tmp_path / "thesis.tex").read_text() == "mine"


def test_what_is_missing_is_told_before_anything_is_decoded(capsys, tmp_path, short_walk, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    command = ["process", str(short_walk), "--out", str(tmp_path / "run")]
    assert "--language.base-url" in one_line(capsys, *command, "--writer", "llm")
    light = [*command, "--perception", "light", "--vision.folder", str(tmp_path / "models")]
    assert f"light models not in {tmp_path / 'models'}: roomtour models pull light" in one_line(capsys, *light)
    assert not (tmp_path / "run").exists()


def test_an_unknown_key_or_a_wrong_value_of_the_configuration_is_named(subtests, capsys, tmp_path, short_walk):
    config = tmp_path / "c.yaml"
    for text, words in (
        ("sample: {fsp: 3}\n", ("'fsp'", "Did you mean sample.fps? Known: fps, ", "short_side")),
        ("sample: {fps: many}", ("fps",)),
        ("a: [", ("YAML",)),
        ("- 1", ("mapping",)),
        ("sample: {fps: -1}", ("fps",)),
        ("sample: {fps: 3}\nsample: {fps: 4}", ("'sample'", "twice", "line 2")),
        ("sample: {fps: 3, fps: 4}", ("'fps'", "twice")),
        ("sample: {short_side: 90, short-side: 91}", ("short_side", "twice")),
    ):
        with subtests.test(text):
            config.write_text(text)
            command = ["process", str(short_walk), "--out", str(tmp_path / "run"), "--config", str(config)]
            said = one_line(capsys, *command)
            assert all(word in said for word in words)


@pytest.mark.posix
def test_a_full_disk_at_standard_output_is_one_line(capsys, monkeypatch):
    for buffering in (-1, 1):
        with open("/dev/full", "w", buffering=buffering) as full, monkeypatch.context() as patch:
            patch.setattr("sys.stdout", full)
            assert one_line(capsys, "--help").endswith("No space left on device")
