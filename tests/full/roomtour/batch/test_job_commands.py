import json
import shutil
from pathlib import Path

from roomtour.batch.again import ask_again, forget_tour
from roomtour.batch.ledger import count_status, read_rows
from roomtour.cli import main
from tests.support.doubles.stub_jobs import SEGFAULT, StubEngine, run_stubs


def test_status_cost_retry_and_forget(tmp_path, capfd):
    run_stubs(tmp_path, ["a", "x", "falls"], StubEngine({"falls": SEGFAULT, "x": SEGFAULT}))
    assert main(["batch", "status", str(tmp_path)]) == 0
    assert (
        "2 crashed: ended by signal N; last words: about to fall" in capfd.readouterr().out
    )  # equal reasons are counted
    assert main(["batch", "cost", str(tmp_path), "--price.cpu-hour", "3600", "--price.gb-month", "1"]) == 0
    assert "in the currency of your prices" in capfd.readouterr().out
    assert sorted(ask_again(tmp_path, ["crashed"], [])) == ["falls", "x"]
    assert set(run_stubs(tmp_path, ["a", "x", "falls"], StubEngine({})).values()) == {"done"}
    removed = forget_tour(tmp_path, "a")
    assert {Path(one).parent.name for one in removed} == {"runs", "logs"}
    assert "a" not in {row.tour for row in count_status(read_rows(tmp_path)).tours}


def test_the_command_on_real_tours(short_walk, tmp_path, capfd):
    (tmp_path / "broken.mp4").write_bytes(b"no video")
    rows = [{"source": str(short_walk), "name": "walk", "licence": "CC0-1.0"}, {"source": "broken.mp4"}]
    (tmp_path / "tours.jsonl").write_text("\n".join(map(json.dumps, rows)))
    command = ["batch", "run", str(tmp_path / "tours.jsonl"), "--out", str(tmp_path / "job"), "--until", "sample"]
    assert main(command) == 1
    said = capfd.readouterr().out
    assert "walk: done" in said
    assert "refused: broken" in said
    assert (tmp_path / "job" / "runs" / "walk" / "frames").is_dir()
    manifest = json.loads((tmp_path / "job" / "runs" / "walk" / "manifest.json").read_text())
    assert manifest["options"]["tour"]["licence"] == "CC0-1.0"
    assert main(["batch", "status", str(tmp_path / "job"), "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert told["states"] == {"done": 1, "refused": 1}
    page = tmp_path / "job" / "index.html"
    assert f"page: {page}" in said
    assert "no video track" in page.read_text() or "cannot be opened" in page.read_text()
    assert main(["batch", "retry", str(tmp_path / "job"), "--later", "--state", "refused"]) == 0
    assert "1 tour will be tried again by the next `roomtour batch run`: broken" in capfd.readouterr().out
    assert main(["batch", "forget", str(tmp_path / "job"), "--tour", "walk"]) == 0
    assert not (tmp_path / "job" / "runs" / "walk").exists()


def test_a_wrong_command_line_is_one_line(subtests, capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.mp4").write_bytes(b"")
    run = ["run", "a.mp4", "--out", "x"]
    for words, told in (
        (["walk"], "no action walk"),
        (["run", "--out", "x"], "no video given"),
        ([*run, "--slots", "0"], "--slots 0"),
        ([*run, "--stop-share", "2"], "--stop-share 2"),
        ([*run, "--shard", "x"], "--shard x: need K/N"),
        ([*run, "--data", "nothing"], "nothing"),
        (["status", "nowhere"], "no folder of a job"),
        (["forget", "nowhere", "--tour", "a"], "no folder of a job"),
    ):
        with subtests.test(told):
            assert main(["batch", *words]) in (1, 2)
            assert told in capfd.readouterr().err


def test_retry_goes_on_as_the_job_was_started(short_walk, tmp_path, capfd, monkeypatch):
    """With its options and from its folder, wherever that was and wherever one is now; and only what was given up."""
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "bad.mp4").write_bytes(b"no video")
    shutil.copyfile(short_walk, tmp_path / "there" / "good.mp4")
    monkeypatch.chdir(tmp_path / "there")
    assert main(["batch", "run", "bad.mp4", "good.mp4", "--out", "job", "--until", "sample", "--slots", "1"]) == 1
    shutil.copyfile(short_walk, "bad.mp4")
    monkeypatch.chdir(tmp_path)
    capfd.readouterr()
    assert main(["batch", "retry", "there/job", "--tour", "bad"]) == 0
    said = capfd.readouterr().out
    assert "1 tour will be tried again: bad" in said
    assert "bad: done" in said
    assert "good: done" not in said
    assert Path.cwd() == tmp_path
    stages = json.loads((tmp_path / "there/job/runs/bad/manifest.json").read_text())["stages"]
    assert list(stages) == ["sample"]
    assert main(["batch", "retry", "there/job"]) == 0
    assert "0 tours will be tried again" in capfd.readouterr().out
