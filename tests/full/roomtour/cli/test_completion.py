import subprocess

import pytest

from roomtour.cli.completion import render_script


@pytest.fixture(scope="module")
def script() -> str:
    return render_script()


@pytest.mark.posix
@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["pro"], {"process"}),
        (["process", "--sample.f"], {"--sample.fps"}),
        (["process", "walk.mp4", "--out", "run", "--wri"], {"--writer"}),
        (["process", "--writer", "l"], {"llm"}),
        (["batch", "re"], {"retry"}),
        (["batch", "run", "--sl"], {"--slots"}),
        (["batch", "run", "--sample.f"], {"--sample.fps"}),
        (["collect", "--min-sec"], {"--min-seconds"}),
        (["models", "p"], {"pull"}),
        (["show", "--he"], {"--help"}),
        (["completion", ""], {"bash", "zsh"}),
        (["show", "run"], set()),  # left to the names of files
    ],
)
def test_bash_completes(script, words, completed):
    line = " ".join(f"'{word}'" for word in ("roomtour", *words))
    ask = f"COMP_WORDS=({line}); COMP_CWORD={len(words)}; _roomtour; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    ended = subprocess.run(["bash", "-c", f"{script}\n{ask}"], capture_output=True, text=True, check=True)
    assert set(ended.stdout.split()) == completed
    assert ended.stderr == ""
