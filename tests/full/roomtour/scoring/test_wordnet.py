"""`compat` with the real WordNet 3.0, as Debian packages it (`wordnet-base`, `wordnet-sense-index`)."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

DICT = Path(os.environ.get("WORDNET_DICT", "/usr/share/wordnet"))
"""Debian's place of the files; WORDNET_DICT names another."""
NEEDED = ("index.noun", "data.noun", "index.sense", "noun.exc", "cntlist.rev")
LEXICOGRAPHERS = [
    "adj.all", "adj.pert", "adv.all", "noun.Tops", "noun.act", "noun.animal", "noun.artifact", "noun.attribute",
    "noun.body", "noun.cognition", "noun.communication", "noun.event", "noun.feeling", "noun.food", "noun.group",
    "noun.location", "noun.motive", "noun.object", "noun.person", "noun.phenomenon", "noun.plant", "noun.possession",
    "noun.process", "noun.quantity", "noun.relation", "noun.shape", "noun.state", "noun.substance", "noun.time",
    "verb.body", "verb.change", "verb.cognition", "verb.communication", "verb.competition", "verb.consumption",
    "verb.contact", "verb.creation", "verb.emotion", "verb.motion", "verb.perception", "verb.possession", "verb.social",
    "verb.stative", "verb.weather", "adj.ppl",
]  # fmt: skip
"""By their numbers (lexnames(5WN)): Debian leaves this file out."""
PROGRAM = """
import json, sys
from roomtour.scoring.dialogues import compat, reading, right
from roomtour.scoring.dialogues.words import find_lexicon
words, notes = find_lexicon("compat")
rows = json.load(sys.stdin)
classes = compat.score_classification
print(json.dumps({
    "name": words.name, "notes": list(notes),
    "first": sorted(words.first_names("sofa")), "all": sorted(words.all_names("chair")),
    "nouns": [words.noun(word) for word in ("calves", "benches", "couch", "children")],
    "bases": [words.base(word) for word in ("shelves", "standing", "xyzzy")],
    "stops": [words.is_stop(word) for word in ("the", "sofa")],
    "compat": [classes([row], words=words)["ACC"] for row in rows],
    "right": [reading.names_label(row["label"], row["answer"], words) for row in rows],
}))
"""
ROWS = [
    {"label": "sofa", "answer": "couch"},  # another name of the first sense
    {"label": "sofa", "answer": "Here I see couches."},
    {"label": "sofa", "answer": "a bed"},
    {"label": "bicycle", "answer": "It is a bike"},
    {"label": "chair", "answer": "There is no chair."},  # their reader does not ask for denials
    {"label": "chair", "answer": "a professorship"},  # only of another sense than the first
]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict:
    pytest.importorskip("nltk")
    if not all((DICT / name).is_file() for name in NEEDED):
        pytest.skip("no WordNet on this machine: apt-get install wordnet-base wordnet-sense-index")
    root = tmp_path_factory.mktemp("nltk")
    (root / "corpora/wordnet").mkdir(parents=True)
    (root / "corpora/stopwords").mkdir()
    for file in DICT.iterdir():
        if file.is_file():
            shutil.copyfile(file, root / "corpora/wordnet" / file.name)  # nltk refuses links that lead elsewhere
    pos = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}
    lines = [f"{n:02d}\t{name}\t{pos[name.split('.')[0]]}\n" for n, name in enumerate(LEXICOGRAPHERS)]
    if not (root / "corpora/wordnet/lexnames").exists():
        (root / "corpora/wordnet/lexnames").write_text("".join(lines))
    (root / "corpora/stopwords/english").write_text("a\nis\nit\nthe\nthere\nhere\ni\nno\n")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], input=json.dumps(ROWS), capture_output=True, text=True, check=False,
        env={**os.environ, "NLTK_DATA": str(root)}, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_its_words_are_those_of_wordnet(found: dict):
    assert (found["name"], found["notes"]) == ("WordNet", [])
    assert found["first"] == ["couch", "lounge", "sofa"]
    assert {"chair", "professorship", "electric_chair", "president"} <= set(found["all"])
    assert found["nouns"] == ["calf", "bench", "couch", "child"]
    assert found["bases"] == ["shelf", "standing", None]
    assert found["stops"] == [True, False]


def test_compat_takes_the_first_sense_and_asks_for_no_denial(found: dict):
    assert found["compat"] == [1.0, 1.0, 0.0, 1.0, 1.0, 0.0]


def test_right_takes_synonyms_and_denials(found: dict):
    assert found["right"] == [True, True, False, True, False, True]
