"""Cache, budget, concurrency and the count of what was spent."""

import json
import threading
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from instructions.errors import InstructionError
from instructions.language.budget import Usage, question_tokens
from instructions.language.client import ServerModel
from instructions.language.model import Message, Reply, Unanswered
from instructions.language.requests import ReplyCache, Request, request_key
from instructions.language.runner import ask_all
from instructions.navigation.language_writer import Texts
from tests.support.cases import each_case
from tests.support.doubles.fault_server import answers, fails, fault_server, refuses, says
from tests.support.worlds.corridor import TRUE, corridor, options, texts_of


def many(count: int) -> list[Request[Texts]]:
    """Different questions about one way."""
    one = corridor().questions(options(None))[0].request
    return [
        replace(one, id=f"q{number}", messages=(*one.messages, Message("user", str(number)))) for number in range(count)
    ]


def unreachable():
    raise AssertionError("a model was made although nothing has to be asked")


def test_a_second_run_asks_nothing_and_says_the_same(tmp_path, subtests):
    for name, behaviours in {"at once": [says(TRUE)], "after a repair": [answers("nonsense"), says(TRUE)] * 5}.items():
        with subtests.test(name), fault_server(*behaviours) as server:
            settings = options(server.base_url)
            first = ask_all(many(5), partial(ServerModel, settings), tmp_path / name, settings)
            again = ask_all(many(5), unreachable, tmp_path / name, options(None))
            told = [[(texts_of(one), one.reply_key, one.served_by) for one in run.answers] for run in (first, again)]
            assert told[0] == told[1]
            assert first.usage.from_cache == 0
            assert again.usage == Usage(questions=first.usage.questions, from_cache=first.usage.questions)


def test_a_reply_of_no_use_is_asked_for_again_and_its_price_counts(tmp_path, subtests):
    useless = {
        "refused": refuses("no"), "schema": answers("nonsense"), "cut": answers("{", finish="length"),
        "withheld": answers("", finish="content_filter"),
    }  # fmt: skip
    for reason, behaviour in useless.items():
        with subtests.test(reason), fault_server(behaviour) as server:
            settings = options(server.base_url)
            asked = [ask_all(many(2), partial(ServerModel, settings), tmp_path / reason, settings) for _ in range(2)]
            assert [one.open.reasons for one in asked] == [{reason: 2}] * 2
            assert asked[0].usage == asked[1].usage
            assert ReplyCache(tmp_path / reason).sum_spent() == Usage(
                prompt_tokens=900 * len(server.seen), reply_tokens=50 * len(server.seen), requests=len(server.seen)
            )
            spent = options(server.base_url, max_requests=len(server.seen))
            (kept, _) = ask_all(many(2), unreachable, tmp_path / reason, spent).answers
            assert kept.open_because == "budget"
        with fault_server(says(TRUE)) as server:
            settings = options(server.base_url, max_reply_tokens=4000)  # a longer reply may be another one
            well = ask_all(many(2), partial(ServerModel, settings), tmp_path / reason, settings)
            assert (well.open.count, len(server.seen)) == (0, 2)
            ask_all(many(2), unreachable, tmp_path / reason, options(None))


class Other(Texts):
    """Another form of reply."""


def test_the_key_changes_with_what_decides_the_reply():
    asked = Request("q", (Message("user", "tell"),), Texts)
    known = request_key(asked, options(None))
    assert request_key(replace(asked, id="other", likely_tokens=7), options(None)) == known
    assert request_key(asked, options("http://elsewhere/v1", timeout_s=9.0, max_reply_tokens=99)) == known
    other_options: list[dict] = [{"model": "other"}, {"temperature": 0.1}]
    others = [
        *(request_key(asked, options(None, **change)) for change in other_options),
        request_key(replace(asked, seed=1), options(None)),
        request_key(replace(asked, temperature=0.1), options(None)),
        request_key(replace(asked, schema=Other), options(None)),
        request_key(replace(asked, messages=(Message("system", "tell"),)), options(None)),
        request_key(replace(asked, messages=(Message("user", "tell", ("ab" * 32,)),)), options(None)),
    ]
    assert len({known, *others}) == len(others)  # the temperature of a request is that of the options


def test_a_passing_fault_is_not_kept_but_asked_again(tmp_path, monkeypatch):
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    with fault_server(fails(500), says(TRUE)) as server:
        settings = options(server.base_url, retries=0)
        with pytest.raises(Unanswered, match="1 of 2 questions"):
            ask_all(many(2), lambda: ServerModel(settings), tmp_path, settings)
        again = ask_all(many(2), lambda: ServerModel(settings), tmp_path, settings)
    assert len(server.seen) == 3
    assert [bool(texts_of(one)) for one in again.answers] == [True, True]


def test_a_damaged_file_is_as_good_as_none(tmp_path):
    cache = ReplyCache(tmp_path)
    cache.put("ab" * 16, Reply("x", None, "stop", 1, 2, "m"))
    assert cache.get("ab" * 16) == Reply("x", None, "stop", 1, 2, "m")
    next(tmp_path.rglob("*.json")).write_text('{"content": ')
    assert cache.get("ab" * 16) is None
    assert cache.sum_spent() == Usage()
    assert not list(tmp_path.rglob("*.part"))


def test_a_budget_ends_it_cleanly_and_a_larger_one_goes_on(tmp_path):
    with fault_server(says(TRUE)) as server:
        small = options(server.base_url, max_tokens=9000, max_reply_tokens=100)
        first = ask_all(many(20), lambda: ServerModel(small), tmp_path, small)
        written = sum(bool(texts_of(one)) for one in first.answers)
        assert 0 < written < 20
        assert first.open.reasons == {"budget": 20 - written}
        assert first.usage.prompt_tokens + first.usage.reply_tokens <= 9000
        same = ask_all(many(20), unreachable, tmp_path, small)  # the budget is of the tour
        assert sum(bool(texts_of(one)) for one in same.answers) == written
        large = replace(small, max_tokens=None)
        rest = ask_all(many(20), lambda: ServerModel(large), tmp_path, large)
    assert all(texts_of(one) for one in rest.answers)
    assert rest.usage.from_cache == written
    assert len(server.seen) == 20


def test_a_server_that_counts_nothing_is_counted_by_estimate(tmp_path):
    with fault_server(answers(json.dumps({"texts": [TRUE]}), counts=False)) as server:
        settings = options(server.base_url)
        found = ask_all(many(1), lambda: ServerModel(settings), tmp_path, settings)
    assert found.usage.prompt_tokens == question_tokens(many(1)[0].messages, Texts)
    assert found.usage.reply_tokens > 20


@each_case("at_once", [1, 4])
def test_never_more_at_once_than_allowed(tmp_path_factory, at_once):
    running = most = 0
    lock = threading.Lock()
    together = threading.Barrier(at_once)

    class Counting:
        def ask(self, messages, schema, *, temperature, seed):
            nonlocal running, most
            with lock:
                running += 1
                most = max(most, running)
            together.wait(timeout=30)
            with lock:
                running -= 1
            return Reply(json.dumps({"texts": [TRUE]}), None, "stop", 1, 1, "m")

    found = ask_all(many(8), Counting, tmp_path_factory.mktemp("replies"), options(None, concurrency=at_once))
    assert [one.request.id for one in found.answers] == [f"q{n}" for n in range(8)]
    assert most == at_once


def test_the_same_asked_at_the_same_time_is_asked_once(tmp_path):
    asked = []

    class Slow:
        def ask(self, messages, schema, *, temperature, seed):
            asked.append(messages)
            time.sleep(0.1)  # the others come while this one is under way
            return Reply(json.dumps({"texts": [TRUE]}), None, "stop", 1, 1, "m")

    (one,) = many(1)
    same = [replace(one, id=f"q{number}") for number in range(6)]
    found = ask_all(same, Slow, tmp_path, options(None, concurrency=6))
    assert len(asked) == 1
    assert [one.request.id for one in found.answers] == [one.id for one in same]
    assert all(texts_of(answer) for answer in found.answers)
    assert found.usage.from_cache == 5


def test_no_server_and_no_key_is_one_line(tmp_path: Path, monkeypatch):
    monkeypatch.delenv("ROOMTOUR_TEST_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(InstructionError, match=r"--language.base-url.*ROOMTOUR_TEST_KEY"):
        corridor().write(tmp_path, options(None))


def test_money_counts_like_tokens(tmp_path):
    with fault_server(says(TRUE)) as server:
        settings = options(
            server.base_url, max_cost=0.006, price_per_million_in=1.0, price_per_million_out=10.0, max_reply_tokens=50
        )
        found = ask_all(many(20), lambda: ServerModel(settings), tmp_path, settings)
    cost = found.usage.cost(settings)
    assert cost == pytest.approx(len(server.seen) * (900 * 1.0 + 50 * 10.0) / 1e6)
    assert cost is not None
    assert 0.0 < cost <= 0.006
    assert found.open.reasons["budget"]
