"""The estimate knows requests only, whatever kind of data they are of."""

from dataclasses import replace

from instructions.language.budget import PICTURE_TOKENS, Usage
from instructions.language.model import Message, Reply
from instructions.language.options import LanguageOptions
from instructions.language.requests import ReplyCache, Request, request_key
from roomtour.cli.running.estimate import describe_estimate, estimate_requests
from tests.full.instructions.language.test_pictures import Color

OPTIONS = LanguageOptions(max_reply_tokens=100, price_per_million_in=1.0, price_per_million_out=10.0)
PLAIN = Request("plain", (Message("user", "x" * 300),), Color, likely_tokens=30)
SHOWN = Request("shown", (Message("user", "x" * 300, ("ab" * 32, "cd" * 32)),), Color, likely_tokens=400)


def test_pictures_and_likely_lengths_count_and_what_is_kept_costs_nothing(tmp_path):
    plain = estimate_requests([PLAIN], ReplyCache(tmp_path), OPTIONS)
    both = estimate_requests([PLAIN, SHOWN], ReplyCache(tmp_path), OPTIONS)
    assert (plain.questions, plain.kept, plain.likely.reply_tokens) == (1, 0, 30)
    assert both.likely.prompt_tokens == 2 * plain.likely.prompt_tokens + 2 * PICTURE_TOKENS
    assert both.likely.reply_tokens == 30 + 100  # never more than a reply may have
    assert both.most == Usage(2, 0, 2 * both.likely.prompt_tokens + 200, 400)
    assert "2 questions" in describe_estimate(both, OPTIONS)[0]
    cache = ReplyCache(tmp_path)
    cache.put(request_key(SHOWN, OPTIONS), Reply('{"color": "red"}', None, "stop", 9, 9, "m"))
    found = estimate_requests([PLAIN, SHOWN], cache, OPTIONS)
    assert (found.questions, found.kept) == (2, 1)
    assert found.likely.prompt_tokens == estimate_requests([PLAIN], cache, OPTIONS).likely.prompt_tokens
    later = [replace(PLAIN, after=one) for one in (PLAIN, SHOWN)]  # as what it follows, whose reply may be kept
    assert [estimate_requests([one], cache, OPTIONS).kept for one in later] == [0, 1]
    assert estimate_requests([], cache, OPTIONS).most == Usage()
