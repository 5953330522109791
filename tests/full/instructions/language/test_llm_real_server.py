"""A real llama.cpp server: structured replies over HTTP, from the writer and from the command line."""

import shutil
from pathlib import Path

import roomtour
from roomtour.cli import main
from tests.support.doubles.llama_server import llama_server
from tests.support.worlds.corridor import TRUE, Corridor, corridor, options


def write(tmp_path: Path, sentence: str, tour: Corridor | None = None, **changes):
    with llama_server(tmp_path, sentence) as address:
        settings = options(address, model="tiny", concurrency=4, timeout_s=60.0, **changes)
        return (tour or corridor()).write(tmp_path / "replies", settings)


def test_texts_of_a_real_server_become_rows_and_again_without_it(tmp_path):
    written = write(tmp_path, TRUE)
    told = [(row.kind, row.text, row.accepted) for row in written.rows]
    assert told == [("description", TRUE, True), ("instruction", TRUE, True)]
    assert written.rows[0].writer == "llm model.gguf"
    assert str(tmp_path) not in written.rows[0].writer
    assert written.usage.questions == 4  # two of them whether the text tells its claims
    assert written.usage.prompt_tokens > 1000
    assert written.usage.reply_tokens > 10
    again = corridor().write(tmp_path / "replies", options(None, model="tiny"))
    assert [row.text for row in again.rows] == [row.text for row in written.rows]
    assert again.usage.from_cache == 4


def test_the_command_line_writes_with_a_server_and_again_without(
    tmp_path, finished_run, short_walk, capsys, monkeypatch
):
    """And keeps its key nowhere."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-test")
    out = tmp_path / "run"
    shutil.copytree(finished_run, out)
    known = roomtour.Run(out).instructions[0]
    command = ["process", str(short_walk), "--out", str(out), "--workers", "1", "--writer", "llm"]
    command += ["--language.model", "tiny", "--language.max-reply-bytes", "99999"]

    assert main([*command, "--dry-run"]) == 0
    assert "questions to tiny, 0 of them answered by kept replies" in capsys.readouterr().out
    assert not (out / "replies").exists()

    with llama_server(tmp_path, known.text) as address:
        assert main([*command, "--language.base-url", address]) == 0
    assert not any(b"sk-secret-of-the-test" in path.read_bytes() for path in out.rglob("*") if path.is_file())
    monkeypatch.delenv("OPENAI_API_KEY")
    run = roomtour.Run(out)
    assert known.text in [row.text for row in run.instructions]
    assert all(row.writer.startswith("llm ") and row.prompt for row in run.instructions)
    counts = run.stages["navigation"].counts
    assert counts["from cache"] == 0
    assert int(counts["prompt tokens"]) > 0
    assert "rejected share" in counts

    assert main([*command, "--force", "navigation"]) == 0  # no address, no key: kept replies are enough
    again = roomtour.Run(out)
    assert [row.text for row in again.instructions] == [row.text for row in run.instructions]
    assert again.stages["navigation"].counts["prompt tokens"] == 0
    assert main([*command, "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "about 0 prompt and 0 reply tokens" in said


def test_an_estimate_needs_the_ways(tmp_path, short_walk, capsys):
    command = ["process", str(short_walk), "--out", str(tmp_path / "run"), "--writer", "llm", "--dry-run"]
    assert main(command) == 1
    assert "--until perception" in capsys.readouterr().err
    assert main([*command[:-3], "--dry-run"]) == 1
    assert "--writer llm" in capsys.readouterr().err
