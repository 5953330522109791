"""Videos without a scene are refused with a reason, by keypoints of gradients and by learned ones."""

from pathlib import Path

import pytest

from roomtour.cli.app import main
from tests.support.worlds.nonsense import write_nonsense


@pytest.mark.parametrize("name", ["grey noise", "frozen picture", "slide show", "scrolling text", "confetti"])
def test_it_is_refused_in_words(name: str, tmp_path: Path, capsys):
    video = write_nonsense(name, tmp_path)
    assert (
        main(["process", str(video), "--out", str(tmp_path / name), "--until", "scene", "--perception", "landmarks"])
        == 3
    )
    assert "Do not trust: " in capsys.readouterr().out


def test_learned_keypoints_make_no_scene_of_noise(light_models: Path, tmp_path: Path, capsys):
    video, run = write_nonsense("grey noise", tmp_path), tmp_path / "run"
    flags = ["--until", "scene", "--perception", "light", "--vision.folder", str(light_models)]
    assert main(["process", str(video), "--out", str(run), *flags]) == 3
    assert "Do not trust: none of" in capsys.readouterr().out
