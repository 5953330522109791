"""Replies that were paid for before requests were typed: their keys, and the folder that holds them, must stay good.

The keys and `tests/data/kept_replies` were made with the code before `Request`; they are never made anew.
"""

from __future__ import annotations

import shutil

from instructions.language.budget import Usage
from instructions.language.model import Message, TextModel
from instructions.language.requests import Request, request_key
from instructions.language.runner import ask_all
from instructions.navigation.schemas import Texts, WayDescriptions, WayInstructions
from tests.support.paths import DATA
from tests.support.worlds.corridor import TRUE, options, texts_of

KEPT = DATA / "kept_replies"
MESSAGES = (
    Message("system", "You write short texts."),
    Message("user", 'The data of the way, as JSON:\n{"rooms": ["Küche"]}'),
)


def unreachable() -> TextModel:
    raise AssertionError("a model was made although every reply is kept")


def test_keys_of_texts_are_those_of_the_code_before_requests_were_typed():
    asked = Request("q", MESSAGES, WayDescriptions)
    assert request_key(asked, options(None)) == "fb4e14fbfd6ca357fa4a4599ef1993d5"
    other = Request("q", MESSAGES, WayInstructions, seed=7)
    assert request_key(other, options(None, temperature=None)) == "fd57e541792f948801799abd6d075b60"


def test_an_old_folder_answers_without_a_server_also_after_a_repair(tmp_path):
    shutil.copytree(KEPT, tmp_path / "replies")
    asked: list[Request[Texts]] = [Request("d", MESSAGES, WayDescriptions), Request("i", MESSAGES, WayInstructions)]
    found = ask_all(asked, unreachable, tmp_path / "replies", options(None))
    assert [texts_of(one) for one in found.answers] == [(TRUE,), (TRUE,)]
    assert [one.reply_key for one in found.answers] == [
        "fb4e14fbfd6ca357fa4a4599ef1993d5",
        "02a840cf8b882c20dcc2f5a13ebb8fc6",
    ]
    assert found.usage == Usage(questions=3, from_cache=3)  # the second was repaired
