"""What of a reply is read, which replies leave their question open, when that is too many, and what is told of it."""

from collections import Counter

import pytest
from pydantic import BaseModel

from instructions.language.model import Message, Reply, UnusableReplies
from instructions.language.open_questions import BUDGET, CAUSES, MOST_USELESS, OpenQuestions, sum_open
from instructions.language.options import LanguageOptions
from instructions.language.requests import ReplyCache, Request
from instructions.language.runner import ask_all, read_reply
from recon.numerals import count as say_count
from tests.support.cases import each_case
from tests.support.doubles.scripted_model import ScriptedModel

OPTIONS = LanguageOptions(model="m", concurrency=1, max_tokens=9000, max_cost=1.0, price_per_million_in=1.0,
                          price_per_million_out=1.0)  # fmt: skip


class Said(BaseModel):
    text: str


GOOD = '{"text": "<think> and ``` are words too"}'


@each_case(
    "content, fault",
    [
        (GOOD, ""),
        (f"<think>\nA {{way}}.\n</think>\n\n{GOOD}", ""),
        (f"```json\n{GOOD}\n```", ""),
        (f" <think></think>```json \n {GOOD} \n ``` ", ""),
        ("<think>A way, and then", "empty"),
        ("<think>A way.</think>", "empty"),
        (f"Here it is: {GOOD}", "schema"),
        (f"```json\n{GOOD}\n``` Enjoy!", "schema"),
        (f"```python\n{GOOD}\n```", "schema"),
        ("```json\n", "schema"),
    ],
)
def test_a_thought_before_the_json_and_a_fence_around_it_are_passed_over_and_nothing_else(content: str, fault: str):
    value, found, words = read_reply(Reply(content, None, "stop", 1, 1, "m"), Said)
    assert (found, bool(words)) == (fault, bool(fault))
    assert (value is not None) == (fault == "")
    assert value is None or value == Said.model_validate_json(GOOD)


def test_a_reply_of_hostile_length_is_read_at_once():
    for content in ("```json\n" + " \n" * 120_000, "<think>" * 30_000, "<think>" + "```\n" * 50_000 + "</think>"):
        assert read_reply(Reply(content, None, "stop", 1, 1, "m"), Said)[1] in ("schema", "empty")


def make_open(answered: int, **reasons: int) -> OpenQuestions:
    return OpenQuestions(answered + sum(reasons.values()), Counter(reasons))


@each_case(
    "open_questions, is_enough",
    [
        (OpenQuestions(), True),
        (make_open(5, schema=5), True),  # half of the replies
        (make_open(5, schema=6), False),
        (make_open(5, schema=3, cut=3), False),
        (make_open(5, schema=5, budget=900), True),  # what was not asked says nothing about the model
        (make_open(0, budget=1), False),  # nothing was answered at all
        (make_open(0, schema=1), False),
    ],
)
def test_rows_are_made_unless_most_replies_are_unusable_or_nothing_is_answered(
    open_questions: OpenQuestions, is_enough: bool
):
    assert MOST_USELESS == 0.5
    if is_enough:
        open_questions.require_enough(OPTIONS)
    else:
        with pytest.raises(UnusableReplies, match="run the same command again"):
            open_questions.require_enough(OPTIONS)


def test_open_questions_add_up():
    one, other = make_open(3, schema=2), OpenQuestions(4, Counter({"schema": 1, BUDGET: 2}), {"schema": "Sure!"})
    both = one + other
    assert (both.asked, both.count, both.useless, both.said) == (9, 5, 3, {"schema": "Sure!"})
    assert sum_open([one, other]) == both
    assert one + OpenQuestions() == one
    assert sum_open([]) == OpenQuestions()


@each_case("code", CAUSES)
def test_every_cause_is_told_with_what_helps(code: str):
    said = {} if code == BUDGET else {code: "I'm sorry"}
    for count in (1, 2):
        told = OpenQuestions(40, Counter({code: count}), said).tell(OPTIONS)
        assert told.startswith(
            f"{count} of 40 questions to m got no usable answer: {say_count(count, CAUSES[code].noun)} "
        )
        assert "{" not in told
        assert "\n" not in told
        assert ('"I\'m sorry"' in told) == bool(said)


def test_a_repair_that_the_budget_forbids_is_asked_for_later_and_the_first_reply_is_not_paid_twice(tmp_path):
    request = Request("q", (Message("user", "tell"),), Said)
    model = ScriptedModel(lambda messages: "nonsense" if len(messages) == 1 else GOOD)
    spent = LanguageOptions(model="m", max_requests=1)
    assert ask_all([request], lambda: model, tmp_path, spent).open.reasons == {"schema": 1}
    found = ask_all([request], lambda: model, tmp_path, LanguageOptions(model="m"))
    assert found.open.count == 0
    assert [len(messages) for messages in model.asked] == [1, 3]
    assert ReplyCache(tmp_path).sum_spent().requests == 2
