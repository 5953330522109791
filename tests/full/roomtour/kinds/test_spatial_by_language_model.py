"""The kind `spatial` with `--writer llm`: rows, talks, rejected pairs and counts of a whole run."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from instructions.language.model import Message
from instructions.language.options import LanguageOptions
from instructions.questions.core.options import ChoiceOptions, SpatialOptions
from roomtour.imports.write import import_run
from roomtour.pipeline import make_data, run_config
from roomtour.run import Run
from roomtour.stages.kinds import spatial
from roomtour.store import RunStore
from tests.support.doubles.scripted_model import ScriptedModel, told
from tests.support.imports.made_images import write_images


def answer(messages: tuple[Message, ...]) -> object:
    """Words distances well and everything else badly; guesses at puzzles."""
    if "The question:" in messages[1].content:
        return {"answer": "Yes."}
    if _is_judged(messages):
        return {"same": re.search("floor|horizontal|level|plan|above", messages[1].content, re.I) is None}
    given = told(messages)
    if given["asks"].startswith("The distance between the centres") and given["number"]:
        a, b = given["phrases"]
        word = "length" if "floor plan" in given["asks"] else "distance"  # two types ask so
        return {"pairs": [{"question": f"What {word} lies between {a} and {b}?", "answer": f"{given['number']}."}]}
    return {"pairs": [{"question": "What is it?", "answer": "A thing."}]}


def _is_judged(messages: tuple[Message, ...]) -> bool:
    """Whether a request is for a judgement of a pair, and neither for the pair nor for a move of a talk."""
    return not any(words in messages[1].content for words in ("The question:", "The pair"))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    write_images(tmp_path / "pictures", rolls=(0.0, 4.0, -4.0, 8.0))
    return import_run(tmp_path / "pictures", "images", tmp_path / "run")


def test_rows_talks_and_counts_and_nothing_is_paid_for_twice(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    every = SpatialOptions(choice=ChoiceOptions(rows_per_view=0, rows_per_pair=0))
    plain = make_data(run.path, ["spatial"], replace(run_config(run), spatial=every)).rows("spatial")
    model = ScriptedModel(answer)
    monkeypatch.setattr(spatial, "connect_server", lambda options: model)
    language = LanguageOptions(base_url="http://127.0.0.1:9/v1", model="scripted", concurrency=1)
    config = replace(run_config(run), writer="llm", language=language, spatial=every)
    wanted = spatial.find_requests(run.path, config)
    made = make_data(run.path, ["spatial"], config)
    rows, rejected = made.rows("spatial"), made.rejected_rows("spatial")
    assert len(rows) == len(plain)
    assert sorted(str(row.truth) for row in rows) == sorted(str(row.truth) for row in plain)
    worded = [row for row in rows if row.template == "llm"]
    assert {row.type for row in worded} == {"distance"}
    assert all(row.writer == "llm scripted" for row in worded)
    assert {row.rejected_because for row in rejected} == {"no_phrase", "other_meaning"}
    other = [row for row in rejected if row.rejected_because == "other_meaning"]
    assert {row.type for row in other} == {"horizontal_distance"}
    asked_first = list(dict.fromkeys(one.messages for one in wanted if not _is_judged(one.messages)))
    assert [asked for asked in model.asked if not _is_judged(asked)] == asked_first
    judged = [asked for asked in model.asked if _is_judged(asked)]
    assert len(judged) == len(worded) + len(other)  # of words that hold, whether they mean the same
    counts = json.loads((run.path / "spatial" / "counts.json").read_text(encoding="utf-8"))
    assert counts["written"] == counts["kept"] + counts["rejected"] == len(rows) + len(rejected)
    talks = Run(run.path).thinking
    assert not any(talk.accepted for talk in talks)  # guessed, or wrong
    assert counts["besides"]["thinking"]["rejected"] == len(talks)
    assert re.search(r"rows were reworded", " ".join(finding.message for finding in made.findings))
    asked, first = len(model.asked), (run.path / "spatial" / "rows.jsonl").read_bytes()
    store = RunStore(run.path)
    with store.opened():
        store.forget(["spatial"])
    make_data(run.path, ["spatial"], config)  # the same replies cost nothing again
    assert len(model.asked) == asked
    assert (run.path / "spatial" / "rows.jsonl").read_bytes() == first
