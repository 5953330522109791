from tests.support.golden import GOLDEN, golden_text


def test_texts_are_as_reviewed():
    """After a wanted change: `python -m tests.support.golden`, then read the difference."""
    assert golden_text() == GOLDEN.read_text(encoding="utf-8")
