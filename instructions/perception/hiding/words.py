"""What can be hidden in pictures."""

from __future__ import annotations

from instructions.errors import InstructionError

NETWORK_NAMES = {"person": ("person",), "screen": ("tvmonitor", "laptop", "cell phone")}
"""By word, what the networks call it."""
HIDEABLE = tuple(NETWORK_NAMES)


def split_words(text: str) -> tuple[str, ...]:
    """`person,screen` as words, in the order of the table, each once.

    Raises:
        InstructionError: For a word that nothing knows how to hide.
    """
    asked = [word.strip() for word in text.split(",") if word.strip()]
    for word in asked:
        if word not in HIDEABLE:
            raise InstructionError(f"--hide {word}: nothing finds that; known: {', '.join(HIDEABLE)}")
    return tuple(word for word in HIDEABLE if word in asked)
