"""Files of answers as evaluation tools write them: the reply is read, and never the truth beside it."""

import json
from pathlib import Path

import pytest

from roomtour.scoring.answers import read_answers

TRUTH, REPLY = "A", "B"
TABLE = {"id": "row", "index": 3, "answer": TRUTH, "prediction": REPLY}
FORMS = {
    "ours.jsonl": {"id": "row", "answer": REPLY},
    "lmms-eval.jsonl": {
        "doc_id": 0,
        "doc": {"id": 3, "row": "row", "ground_truth": TRUTH},
        "target": TRUTH,
        "filtered_resps": REPLY,
    },
    "lmms-eval-blink.jsonl": {
        "doc": {"idx": "row", "answer": TRUTH},
        "resps": [["because B"]],
        "filtered_resps": [REPLY],
    },
    "lmms-eval-0.7.jsonl": {
        "doc_id": 0,
        "target": TRUTH,
        "filtered_resps": REPLY,
        "vsibench_overall": {"id": 3, "row": "row", "ground_truth": TRUTH, "prediction": REPLY},
    },
    "lmms-eval-no-id.jsonl": {"doc_id": "row", "filtered_resps": REPLY, "overall_accuracy": {"score": 1.0}},
    "vlmevalkit.json": [TABLE],
    "mindcube.jsonl": {"id": "row", "gt_answer": TRUTH, "answer": REPLY},
    "blink.json": {"val": [{"idx": "row", "answer": TRUTH, "prediction": REPLY}], "test": []},
    "blink-predictions.json": {"row": REPLY},
    "ms-swift.jsonl": {"id": "row", "response": REPLY, "labels": TRUTH, "answer": TRUTH},
    "llava.jsonl": {"question_id": "row", "prompt": "?", "text": REPLY},
}
TABLES = {
    "vlmevalkit.tsv": "\t".join(TABLE) + "\n" + "\t".join(map(str, TABLE.values())) + "\n",
    "viewspatial.csv": f"ID,Question,Predicted Answer,Correct Answer\nrow,?,{REPLY},{TRUTH}\n",
}


@pytest.mark.parametrize("name", [*FORMS, *TABLES])
def test_the_reply_is_read_and_not_the_truth(tmp_path: Path, name: str):
    (tmp_path / name).write_text(TABLES.get(name) or json.dumps(FORMS[name]), encoding="utf-8")
    assert {key: row["answer"] for key, row in read_answers(tmp_path / name).items()} == {"row": REPLY}


def test_an_answer_that_is_a_list_stays_one(tmp_path: Path):
    boxes = [{"label": "sofa", "box": [0, 0, 1, 1]}]
    (tmp_path / "a.json").write_text(json.dumps({"row": boxes}), encoding="utf-8")
    assert read_answers(tmp_path / "a.json")["row"]["answer"] == boxes
