"""What stands for a word: base forms and synonyms, from WordNet where it is given, else from a small table of ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from instructions.dialogues.templates import STOP_WORDS, find_names
from instructions.errors import InstructionError


class OwnWords:
    """Words as a scorer needs them: our table of synonyms; base forms by rule."""

    name = "own synonyms"
    """For notes."""

    def names(self, label: str) -> frozenset[str]:
        """Every name of any sense of a label, itself included, lower case, blanks between words."""
        return find_names(label)

    def first_names(self, label: str) -> frozenset[str]:
        """Names of the label's first sense, with underscores between words as WordNet has them."""
        return frozenset(name.replace(" ", "_") for name in self.names(label))

    def all_names(self, label: str) -> frozenset[str]:
        """Names of any sense, with underscores between words; without the label itself where no sense has it."""
        return self.first_names(label)

    def noun(self, word: str) -> str:
        """The noun's base form; the word itself where none is known."""
        for ending, base in (("shelves", "shelf"), ("people", "person")):
            if word.endswith(ending):
                return word.removesuffix(ending) + base
        if word.endswith(("sses", "shes", "ches", "xes")):
            return word[:-2]
        if word.endswith("ies") and len(word) > 4:
            return word[:-3] + "y"
        return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word

    def base(self, word: str) -> str | None:
        """The base form of any part of speech; None for what is no word."""
        return self.noun(word)

    def is_stop(self, word: str) -> bool:
        """Whether it is a word that says nothing."""
        return word in STOP_WORDS


Lexicon = OwnWords
"""What scorers ask for; `WordNet` is one."""


class WordNet(OwnWords):
    """WordNet by nltk, from the folders of NLTK_DATA; nothing is downloaded."""

    name = "WordNet"

    def __init__(self) -> None:
        """Load it.

        Raises:
            InstructionError: One line on what is missing.
        """
        try:
            from nltk.corpus import stopwords, wordnet  # pyright: ignore[reportMissingImports]
            from nltk.stem import WordNetLemmatizer  # pyright: ignore[reportMissingImports]

            wordnet.synsets("chair")
            self._stops: frozenset[str] = frozenset(stopwords.words("english"))
        except ModuleNotFoundError as error:
            raise InstructionError(
                '--mode compat needs WordNet: pip install "roomtour[benchmark]", or score with --mode right'
            ) from error
        except LookupError as error:
            raise InstructionError(
                "--mode compat needs WordNet and nltk's stop words: set NLTK_DATA to a folder with corpora/wordnet and "
                "corpora/stopwords (python -m nltk.downloader -d FOLDER wordnet stopwords), or score with --mode right"
            ) from error
        except (OSError, ValueError) as error:  # a file is missing, or a link leads out of the folder
            raise InstructionError(f"--mode compat needs WordNet, and nltk cannot read it: {error}") from error
        self._net: Any = wordnet
        self._lemmatizer: Any = WordNetLemmatizer()

    def names(self, label: str) -> frozenset[str]:
        """The label and the names of all its senses that are nouns."""
        found = {name.replace("_", " ").lower() for name in self.all_names(label)}
        return frozenset(found | {label.lower().replace("_", " ")})

    def first_names(self, label: str) -> frozenset[str]:
        """Of the first sense."""
        senses = self._net.synsets(label)
        return frozenset(senses[0].lemma_names()) if senses else frozenset()

    def all_names(self, label: str) -> frozenset[str]:
        """Of every sense."""
        return frozenset(name for sense in self._net.synsets(label) for name in sense.lemma_names())

    def noun(self, word: str) -> str:
        """By WordNet's lemmatizer."""
        return self._lemmatizer.lemmatize(word, "n")

    def base(self, word: str) -> str | None:
        """By WordNet's morphy."""
        return self._net.morphy(word)

    def is_stop(self, word: str) -> bool:
        """By nltk's list."""
        return word in self._stops


def find_lexicon(mode: str) -> tuple[Lexicon, Sequence[str]]:
    """The words to score with, and what to say about them.

    Raises:
        InstructionError: For `compat` without WordNet.
    """
    try:
        return WordNet(), ()
    except InstructionError:
        if mode != "right":
            raise
        return OwnWords(), ("WordNet is not there: classes are matched by roomtour's own synonyms",)
