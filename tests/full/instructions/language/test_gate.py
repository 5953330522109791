"""A gate for all who ask a language server: rate, pauses, requests under way, budget; against a server on loopback."""

from dataclasses import replace
from itertools import pairwise

import pytest
from pydantic import BaseModel

from instructions.errors import InstructionError
from instructions.language.budget import Usage
from instructions.language.connect import GatedModel, connect_server, use_gate
from instructions.language.gate import SharedGate
from instructions.language.model import Message, NoReply, Reply, ServerUnusable
from instructions.language.options import LanguageOptions
from tests.support.doubles.fault_server import answers, fails, fault_server


class Clock:
    """Time that goes on only when somebody waits."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Answer(BaseModel):
    text: str


def pass_all(gate: SharedGate, clock: Clock, number: int, tokens: int = 10) -> list[float]:
    """When each of so many requests goes through, if one asks as often as the gate says and settles at once."""
    times = []
    for _ in range(number):
        word = gate.ask(tokens)
        while word.wait_s:
            clock.now += word.wait_s
            word = gate.ask(tokens, word.ticket)
        assert not word.refused
        times.append(clock.now)
        gate.settle(tokens, tokens, 0)
    return times


def test_requests_go_through_evenly_and_never_faster_than_asked():
    clock = Clock()
    times = pass_all(SharedGate(LanguageOptions(requests_per_minute=600.0), clock=clock), clock, 100)
    assert times[-1] - times[0] == pytest.approx(9.9, abs=0.11)
    assert min(later - earlier for earlier, later in pairwise(times[2:])) == pytest.approx(0.1)


def test_after_a_pause_nobody_goes_early_not_even_with_a_ticket():
    clock = Clock()
    gate = SharedGate(LanguageOptions(requests_per_minute=600.0), clock=clock)
    words = [gate.ask(10) for _ in range(8)]
    held = [word for word in words if word.wait_s]
    assert len(held) >= 6
    gate.pause(30.0)
    until = clock.now + 30.0
    clock.now += 1.0
    again = [gate.ask(10, word.ticket) for word in held]
    assert all(clock.now + word.wait_s >= until for word in again)
    clock.now = until
    due = sorted(word.wait_s for word in (gate.ask(10, word.ticket) for word in again))
    assert min(later - earlier for earlier, later in pairwise(due[1:])) == pytest.approx(0.1)  # not all at once


def test_no_more_than_asked_are_under_way_and_who_is_gone_frees_his():
    gate = SharedGate(LanguageOptions(concurrency=2), clock=Clock())
    assert [gate.ask(1, holder=one).wait_s > 0 for one in "abb"] == [False, False, True]
    gate.drop("b")
    assert gate.ask(1, holder="c").wait_s == 0
    assert gate.ask(1, holder="c").wait_s > 0
    gate.settle(1, 0, 0, holder="a")
    assert gate.ask(1, holder="c").wait_s == 0


PRICED = LanguageOptions(
    job_max_cost=1.0, price_per_million_in=1.0, price_per_million_out=10.0, concurrency=100, max_reply_tokens=1000
)


def test_the_budget_of_a_job_holds_for_all_with_the_worst_case_of_what_is_under_way():
    gate = SharedGate(PRICED, clock=Clock())
    passed = 0
    while not gate.ask(20_000).refused:  # 0.2 at most each
        passed += 1
    assert passed == 5
    for _ in range(5):
        gate.settle(20_000, 20_000, 0)  # 0.02 each, in fact
    assert not gate.ask(20_000).refused
    usage, _ = gate.count()
    assert (usage.requests, usage.prompt_tokens) == (6, 100_000)
    assert "budget of the job is spent: 0.10 of --language.job-max-cost 1" in gate.ask(100_000).refused
    spent = SharedGate(PRICED, Usage(reply_tokens=100_000), clock=Clock())
    assert spent.ask(1).refused
    with pytest.raises(InstructionError, match="job_max_cost needs"):
        LanguageOptions(job_max_cost=1.0)


def test_a_spent_budget_ends_the_asking_and_asks_nobody():
    class Silent:
        def ask(self, messages, schema, *, temperature, seed) -> Reply:
            raise AssertionError("asked")

    gate = SharedGate(PRICED, Usage(reply_tokens=100_000))
    with pytest.raises(ServerUnusable, match="budget of the job is spent"):
        GatedModel(Silent(), gate, PRICED).ask((Message("user", "?"),), Answer, temperature=None, seed=0)


def test_what_is_worth_it_is_asked_again_and_the_rest_is_not():
    yes = answers('{"text": "yes"}')
    with fault_server(fails(500), fails(503), yes, fails(400)) as server:
        options = LanguageOptions(base_url=server.base_url, model="m", requests_per_minute=6000.0, retries=3)
        slept: list[float] = []
        gate = SharedGate(options, clock=lambda: sum(slept))
        model = connect_server(replace(options, retries=0, requests_per_minute=None))
        gated = GatedModel(model, gate, options, sleep=slept.append)
        said = (Message("user", "?"),)
        assert gated.ask(said, Answer, temperature=0.5, seed=0).content == '{"text": "yes"}'
        assert sum(slept) >= 3.0  # a second after the first fault, two after the second
        with pytest.raises(NoReply):
            gated.ask(said, Answer, temperature=0.5, seed=0)
        assert gate.count()[0].requests == 4


def test_all_who_connect_go_through_the_gate_in_use():
    gate = SharedGate(PRICED, Usage(reply_tokens=100_000))
    use_gate(gate)
    try:
        with pytest.raises(ServerUnusable, match="budget of the job is spent"):
            connect_server(replace(PRICED, base_url="http://127.0.0.1:9/v1")).ask(
                (Message("user", "?"),), Answer, temperature=None, seed=0
            )
    finally:
        use_gate(None)
