"""Every way a server can fail: the answer says why, the others are given, and nothing is asked in vain."""

import gzip
from pathlib import Path

import pytest

from instructions.errors import InstructionError
from instructions.language.client import ServerModel
from instructions.language.model import Unanswered
from instructions.language.runner import ask_all
from tests.full.instructions.language.test_llm_runner import many
from tests.support.doubles.fault_server import (
    Completion,
    answers,
    drips,
    fails,
    fault_server,
    floods,
    hangs_up,
    says,
    sends_raw,
    sleeps,
)
from tests.support.worlds.corridor import TRUE, corridor, options, texts_of


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    """A key that must turn up nowhere but in the header."""
    monkeypatch.setenv("ROOMTOUR_TEST_KEY", "sk-secret-of-the-test")
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr("openai._base_client.MAX_RETRY_DELAY", 0.02)
    return "sk-secret-of-the-test"


def first_answer(folder: Path, *behaviours, **changes):
    """What becomes of the first question, and the server."""
    with fault_server(*behaviours, says(TRUE)) as server:
        settings = options(server.base_url, enriched=False, **changes)
        return corridor().ask(folder, settings).answers[0], server


def test_what_may_pass_is_asked_again(tmp_path, subtests):
    for status in (408, 429, 500, 503):
        with subtests.test(str(status)):
            answer, server = first_answer(tmp_path / str(status), fails(status), fails(status))
            assert texts_of(answer) == (TRUE,)
            assert len(server.seen) == 4  # two failures and the answer; the second question


def test_a_server_that_says_when_to_come_back_is_obeyed(tmp_path, monkeypatch):
    slept: list[float] = []
    monkeypatch.setattr("openai._base_client.time.sleep", slept.append)
    answer, _ = first_answer(tmp_path, fails(429, ("Retry-After", "17")))
    assert texts_of(answer) == (TRUE,)
    assert slept == [17.0]


def unanswered(folder: Path, *behaviours, **changes):
    """What is said of a first question that got no answer, and the server; the second one is answered."""
    with fault_server(*behaviours, says(TRUE)) as server:
        settings = options(server.base_url, enriched=False, **changes)
        with pytest.raises(Unanswered) as caught:
            corridor().ask(folder, settings)
        return str(caught.value), server


def test_a_fault_that_stays_leaves_the_question_open_and_says_why(tmp_path):
    said, server = unanswered(tmp_path, *[fails(500, message="out of order")] * 3)
    assert said.startswith("1 of 2 questions had no answer (the server answers 500: out of order)")
    assert len(server.seen) == 4  # once and two retries; the second question
    answer, server = first_answer(tmp_path)
    assert texts_of(answer) == (TRUE,)
    assert len(server.seen) == 1  # the second was answered before


def test_a_bad_question_is_not_asked_again(tmp_path):
    answer, server = first_answer(tmp_path, fails(400, message="no such parameter"))
    assert (answer.open_because, answer.said) == ("no_reply", "the server answers 400: no such parameter")
    assert len(server.seen) == 2


def test_a_reply_that_is_none(tmp_path, subtests):
    kinds = {
        "no reply within 0.3 s": sleeps(1.0),
        "the reply took longer than 0.3 s": drips(400, 0.05),
        "broke off": hangs_up,
        "the reply is longer than 262144 bytes": floods(10_000_000),
        "compressed": sends_raw(gzip.compress(Completion("{}").body()), ("Content-Encoding", "gzip")),
        "not a chat completion": sends_raw(b"<html>proxy</html>"),
        "chat completion": sends_raw(b'{"choices": []}'),
    }
    for reason, behaviour in kinds.items():
        with subtests.test(reason):
            patience_s = 0.3 if "0.3 s" in reason else 60.0
            said, _ = unanswered(tmp_path / reason, behaviour, timeout_s=patience_s, retries=0)
            assert reason in said
    _, server = unanswered(tmp_path / "retried", floods(10_000_000), retries=5)
    assert len(server.seen) == 2, "10 megabytes are not asked for twice"


BROKEN = {
    "no JSON": "Walk forward.",
    "wrong form": '{"text": "Walk forward and stop."}',
    "extra": '{"texts": ["Walk forward and stop."], "note": "x"}',
    "none": '{"texts": []}',
    "long": '{"texts": ["' + "Walk on and on. " * 200 + '"]}',
    "markup": '{"texts": ["Walk <b>forward</b> and then stop."]}',
    "address": '{"texts": ["Walk forward, see http://example.org/x and stop."]}',
    "empty": "",
}


def test_a_broken_reply_gets_one_repair_round(tmp_path, subtests):
    for name, content in BROKEN.items():
        with subtests.test(name):
            answer, server = first_answer(tmp_path / name, answers(content))
            assert texts_of(answer) == (TRUE,)
            first, second = (seen.body["messages"] for seen in server.seen[:2])
            assert second[: len(first)] == first
            assert [message["role"] for message in second[len(first) :]] == ["assistant", "user"]


def test_a_reply_that_stays_broken_leaves_its_question_open_after_one_repair(tmp_path):
    answer, server = first_answer(tmp_path, answers("nonsense"), answers("nonsense\x1b again"))
    assert (answer.value, answer.open_because, answer.said) == (None, "schema", "nonsense again")
    assert len(server.seen) == 3


def test_a_wrong_key_or_model_ends_it_with_one_line(tmp_path):
    for status in (401, 403, 404):
        with (
            fault_server(fails(status, message="who are you?")) as server,
            pytest.raises(InstructionError, match=f"fake-1.*{status}.*who are you") as caught,
        ):
            corridor().ask(tmp_path, options(server.base_url))
        assert len(server.seen) == 1
        assert "\n" not in str(caught.value)


def test_a_server_that_is_gone_is_not_asked_forever(tmp_path):
    with fault_server(fails(500)) as server, pytest.raises(InstructionError, match="in a row had no answer"):
        corridor_many(tmp_path, options(server.base_url, retries=0))
    assert len(server.seen) == 4
    with pytest.raises(InstructionError, match="cannot be reached"):  # nobody listens any more
        corridor_many(tmp_path, options(server.base_url, retries=0))


def corridor_many(folder, settings):
    """More questions than the patience lasts."""
    return ask_all(many(12), lambda: ServerModel(settings), folder, settings)


def test_the_key_is_sent_and_kept_nowhere(tmp_path, key):
    with fault_server(says(TRUE)) as server:
        corridor().ask(tmp_path, options(server.base_url))
    assert server.seen[0].headers["authorization"] == f"Bearer {key}"
    kept = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.json")]
    assert kept
    assert not any(key in text for text in kept)


def test_a_server_that_quotes_the_key_does_not_bring_it_into_a_message(tmp_path, key):
    for status in (400, 401):
        with fault_server(fails(status, message=f"the key {key} is not known here"), says(TRUE)) as server:
            try:
                said = str(corridor().ask(tmp_path / str(status), options(server.base_url)).answers[0].said)
            except InstructionError as error:
                said = str(error)
        assert "the key (key) is not known here" in said
    assert not any(key in path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.json"))


def test_a_redirect_does_not_take_the_key_along(tmp_path):
    with fault_server(says(TRUE)) as other:
        elsewhere = f"{other.base_url}/chat/completions"
        said, _ = unanswered(tmp_path, fails(307, ("Location", elsewhere)))
        assert other.seen == []
    assert "307" in said


def test_an_address_with_a_secret_or_without_a_host_is_refused():
    secret = ("http://me:s3cr3t@host/v1", "https://host/v1?k=s3cr3t", "https://host/#s3cr3t")
    for address in ("ftp://host/v1", "host:80", "http://", *secret):
        with pytest.raises(InstructionError) as caught:
            options(address)
        assert "s3cr3t" not in str(caught.value)
