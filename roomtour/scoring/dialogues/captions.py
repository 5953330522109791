"""Descriptions beside reference sentences: BLEU-4 and ROUGE-L, as they should be measured and as LAMM's code does.

Both rest on libraries of the extra `benchmark`, each of which defines its figure: sacrebleu and rouge-score here, nltk
and rouge there.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any

from instructions.dialogues.tasks.formats import split_sentences
from instructions.errors import InstructionError
from roomtour.scoring.dialogues.compat import read_quoted

Row = Mapping[str, Any]
Scores = dict[str, float]
_MISSING = 'captions need sacrebleu and rouge-score, in compat nltk and rouge: pip install "roomtour[benchmark]"'


def has_libraries() -> bool:
    """Whether all that captions are scored with is installed."""
    return all(find_spec(name) is not None for name in ("sacrebleu", "rouge_score", "nltk", "rouge"))


def score_captions(rows: Sequence[Row]) -> Scores:
    """Mean BLEU-4 of the whole answer and of its best sentence, and mean ROUGE-L (F), 0 to 1, lower case.

    Every sentence is a reference, and so are all of them together: an answer of one sentence has to be like one of
    them, a whole description like all. The best sentence is what LAMM's paper reports; whoever says everything has one
    that fits, which the junk players show.

    Args:
        rows: {sentences, answer}.

    Raises:
        InstructionError: Without the extra `benchmark`.
    """
    measured = (_measure(str(row["answer"]), tuple(_references(row))) for row in rows)
    read = [one for one in measured if one is not None]
    count = max(len(rows), 1)
    whole, best, longest = (sum(one[place] for one in read) / count for place in range(3))
    return {"BLEU4": whole, "BLEU4 best": best, "ROUGE-L": longest, "unread": (len(rows) - len(read)) / count}


@lru_cache(maxsize=1 << 16)  # a bootstrap asks for the same rows hundreds of times
def _measure(said: str, references: tuple[str, ...]) -> tuple[float, float, float] | None:
    """BLEU-4 of a text, that of its best sentence, and ROUGE-L; None for a text without a sentence."""
    bleu, rouge = _load_scorers()
    sentences = split_sentences(said)
    if not sentences:
        return None
    whole, *each = (bleu.sentence_score(one, references).score / 100 for one in (said, *sentences))
    return whole, max(each), max(rouge.score(reference, said)["rougeL"].fmeasure for reference in references)


@cache
def _load_scorers() -> tuple[Any, Any]:
    try:
        from rouge_score.rouge_scorer import RougeScorer  # pyright: ignore[reportMissingImports]
        from sacrebleu.metrics.bleu import BLEU  # pyright: ignore[reportMissingImports]
    except ModuleNotFoundError as error:
        raise InstructionError(_MISSING) from error
    return BLEU(lowercase=True, effective_order=True), RougeScorer(["rougeL"])


def _references(row: Row) -> list[str]:
    sentences = [str(one) for one in row["sentences"]]
    return sentences if len(sentences) < 2 else [*sentences, " ".join(sentences)]


def score_captions_compat(rows: Sequence[Row]) -> Scores:
    """As the published code measures, percent: the best of the answer, what it quotes, and each part between stops.

    BLEU-4 is nltk's for one sentence, without smoothing, words split at blanks and with their commas; stops are taken
    out of references only. ROUGE-L is that of `rouge` for whole texts. An empty answer counts nothing.

    Raises:
        InstructionError: Without the extra `benchmark`.
    """
    try:
        from nltk.translate.bleu_score import sentence_bleu  # pyright: ignore[reportMissingImports]
        from rouge import Rouge  # pyright: ignore[reportMissingImports]
    except ModuleNotFoundError as error:
        raise InstructionError(_MISSING) from error
    rouge: Any = Rouge(metrics=["rouge-l"])

    def of_rouge(said: str, reference: str) -> float:
        try:
            return rouge.get_scores(said, reference, avg=True)["rouge-l"]["f"]
        except ValueError:  # nothing but stops: the published code ends here
            return 0.0

    def of_bleu(said: str, references: Sequence[str]) -> float:
        split = [one.replace(".", "").split() for one in references]
        with warnings.catch_warnings():  # of texts that share no run of four words: here the usual case
            warnings.simplefilter("ignore")
            return float(sentence_bleu(split, said.split(), (0.25, 0.25, 0.25, 0.25)))  # type: ignore[arg-type]

    bleu = longest = 0.0
    for row in rows:
        said = str(row["answer"])
        if not said:
            continue
        quoted = read_quoted(said)
        candidates = [said, quoted, *filter(None, quoted.split("."))]
        references = [str(one) for one in row["sentences"]]
        bleu += max(of_bleu(candidate, references) for candidate in candidates)
        longest += max(of_rouge(candidate, reference) for candidate in candidates for reference in references)
    count = max(len(rows), 1)
    return {"BLEU4": 100 * bleu / count, "Rouge": 100 * longest / count}
