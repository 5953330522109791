"""Rows that say the same, found by a sentence encoder in a local folder (random weights, made here)."""

import json
from pathlib import Path

import numpy as np
import pytest

from instructions.claims.entailment import Sameness
from instructions.errors import InstructionError
from instructions.language.model import Reply
from instructions.language.options import LanguageOptions
from instructions.perception.models.sentences import MeanPooledSentences
from instructions.regions.choose import number_regions
from instructions.regions.clusters import find_clusters, measure_likeness, pick_roots
from instructions.regions.dedup import find_meant_repeat
from instructions.regions.describe import describe_view
from instructions.regions.write_qar import write_with_language_model
from instructions.regions.writer import PreparedView
from tests.support.worlds.made_view import thing, view

torch = pytest.importorskip("torch")
ROOM = view(
    thing("s", (3.0, 1.5, 0.4), (0.4, 0.9, 0.4), category="sofa", color="red"),
    thing("c", (2.0, -0.8, 0.45), (0.25, 0.25, 0.45), category="chair", color="black"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.support.doubles.made_checkpoints import write_sentence_encoder

    return write_sentence_encoder(tmp_path_factory.mktemp("encoder"))


def test_vectors_are_the_mean_over_tokens_without_padding(folder: Path):
    import transformers

    texts = ["a photo of the chair", "a table", "the living room of the lamp and a coffee table, a door"]
    vectors = MeanPooledSentences(folder).encode(texts)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    network = transformers.AutoModel.from_pretrained(folder, local_files_only=True).eval()
    for text, vector in zip(texts, vectors, strict=True):
        with torch.no_grad():
            states = network(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].numpy()
        mean = states.mean(axis=0)
        assert vector == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)
    assert MeanPooledSentences(folder).encode([]).shape[0] == 0


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ((), "no such folder"),
        (("readme.md",), "no config.json"),
        (("config.json",), "no model.safetensors"),
        (("config.json", "pytorch_model.bin"), "pickled weights are never loaded"),
    ],
)
def test_a_folder_that_is_no_encoder_is_one_line(tmp_path: Path, files: tuple[str, ...], words: str):
    for name in files:
        (tmp_path / "encoder").mkdir(exist_ok=True)
        (tmp_path / "encoder" / name).write_text("{}", encoding="utf-8")
    with pytest.raises(InstructionError, match=words) as told:
        MeanPooledSentences(tmp_path / "encoder")
    assert "\n" not in str(told.value)


class Meanings:
    """Knows what a few texts mean: those that begin with the same word."""

    def encode(self, texts):
        words = ["seat", "side", "else"]
        places = [next((k for k, word in enumerate(words) if word in text.lower()), 2) for text in texts]
        return np.eye(3)[places]


def test_clusters_go_by_meaning():
    texts = ["Seat for two.", "To the side.", "One may take a seat.", "At its side."]
    assert find_clusters(measure_likeness(texts, Meanings()), 2) == [0, 1, 0, 1]
    assert pick_roots(texts, 2, Meanings()) == [0, 1]
    assert find_meant_repeat("A seat.", texts, [1, 2, 3], 0.9, Meanings()) == (2, 1.0)
    assert find_meant_repeat("A seat.", texts, [], 0.9, Meanings()) is None


def test_a_row_that_means_the_same_of_the_same_things_is_a_repeat(tmp_path: Path):
    numbered, record = number_regions(ROOM, "000001.jpg", {})
    prepared = PreparedView(numbered, record, describe_view(numbered, record))

    def item(question: str, answer: str) -> dict[str, object]:
        seen = {"says": "visible", "thing": int(answer.partition("[")[2][0])}
        return {
            "question": question, "answer": answer, "rationale": "Guests rest there.", "claims": [seen], "reasons": [],
        }  # fmt: skip

    items = [
        item("Why might [0] be here?", "[0] gives guests a seat."),
        item("What purpose has [0]?", "People who visit take a seat in [0]."),
        item("What purpose has [1]?", "People who visit take a seat in [1]."),
    ]

    class Model:
        def ask(self, messages, schema, *, temperature, seed):
            told = {"same": True} if schema is Sameness else {"qars": items}
            return Reply(json.dumps(told), None, "stop", 1, 1, "scripted")

    def write(encoder, name: str) -> list[str | None]:
        written = write_with_language_model(
            [prepared], "made", replies=tmp_path / name, language=LanguageOptions(concurrency=1), connect=Model,
            encoder=encoder,
        )  # fmt: skip
        return [row.rejected_because for row in written.rows if row.mode == "id"][:3]

    assert write(None, "words") == [None, None, None]
    assert write(Meanings(), "meaning") == [None, "repeat", None]
