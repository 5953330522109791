"""What a job took: by stage, tour and accepted instruction, lost attempts apart, and in money."""

import json
import shutil
from pathlib import Path

import pytest

from instructions.language.model import Reply
from instructions.language.options import LanguageOptions
from instructions.language.requests import ReplyCache
from roomtour.batch.cost import describe_cost, measure_cost
from roomtour.batch.job_options import Prices
from roomtour.batch.ledger import add_row, count_status, read_rows
from roomtour.batch.records import LedgerRow
from roomtour.cli import main
from roomtour.config import Config
from roomtour.run import Run


@pytest.fixture
def job(finished_run, tmp_path) -> Path:
    """A job of two tours, of which one crashed, and an attempt that was lost on a GPU."""
    shutil.copytree(finished_run, tmp_path / "runs" / "good")
    (tmp_path / "runs" / "bad").mkdir()
    row = LedgerRow("2026-01-01T00:00:00+00:00", "good", 1, "n", "ended", "waiting", cpu_s=36.0, gpu_s=1800.0)
    add_row(tmp_path, row)
    add_row(tmp_path, LedgerRow("2026-01-01T00:01:00+00:00", "good", 2, "n", "ended", "done", cpu_s=300.0, tour_s=15.0))
    add_row(tmp_path, LedgerRow("2026-01-01T00:02:00+00:00", "bad", 1, "n", "ended", "crashed", cpu_s=24.0))
    tours = {name: {"source": f"{name}.mp4", "key": "k", "seconds": 15.0} for name in ("good", "bad")}
    (tmp_path / "job.json").write_text(json.dumps({"options": Config().to_dict(), "job": {}, "tours": tours}))
    reply = Reply("{}", None, "stop", prompt_tokens=2_000_000, reply_tokens=500_000, served_by="m")
    ReplyCache(tmp_path / "runs" / "good" / "replies").put("ab" * 16, reply)
    return tmp_path


def test_everything_is_added_up_and_priced(job):
    language = LanguageOptions(price_per_million_in=1.0, price_per_million_out=4.0)
    prices = Prices(cpu_hour=10.0, gpu_hour=2.0, gb_month=0.0)
    cost = measure_cost(job, count_status(read_rows(job)), prices, language)
    assert (cost.cpu_s, cost.gpu_s, cost.lost_cpu_s, cost.tours) == (360.0, 1800.0, 60.0, 1)
    assert (cost.prompt_tokens, cost.reply_tokens, cost.language_money) == (2_000_000, 500_000, 4.0)
    assert cost.money == pytest.approx(10.0 * 0.1 + 2.0 * 0.5 + 4.0)
    run = Run(job / "runs" / "good")
    assert cost.cpu_s_by_stage == {name: entry.cpu_seconds for name, entry in run.stages.items()}
    assert cost.instructions == len(run.instructions)
    assert cost.gb == pytest.approx(sum(path.stat().st_size for path in run.path.rglob("*") if path.is_file()) / 1e9)


def test_the_command_tells_it(job, capfd):
    assert main(["batch", "cost", str(job), "--price.cpu-hour", "10"]) == 0
    said = capfd.readouterr().out
    assert "0.10 CPU-hours, 0.02 CPU-hours of it in attempts without a result; 0.50 GPU-hours" in said
    assert "360 CPU-s per tour that is done (1)" in said
    assert "per accepted instruction" in said
    assert "CPU-s by stage: " in said
    assert "1.00 in the currency of your prices" in said


def test_an_empty_job_costs_nothing(tmp_path):
    (tmp_path / "job.json").write_text('{"tours": {}, "job": {}}')
    assert list(describe_cost(measure_cost(tmp_path, count_status(())))) == [
        "0.00 CPU-hours; 0.00 GPU-hours; 0.00 GB of run folders"
    ]
