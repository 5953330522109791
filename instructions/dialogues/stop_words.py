"""Words that say nothing of what a text is about."""

from __future__ import annotations

STOP_WORDS = frozenset({
    "a", "about", "all", "also", "an", "and", "any", "are", "as", "at", "be", "because", "been", "being", "but",
    "by", "can", "could", "did", "do", "does", "down", "each", "for", "from", "had", "has", "have", "he", "here",
    "how", "i", "if", "in", "into", "is", "it", "its", "many", "may", "might", "more", "most", "much", "no", "not",
    "of", "on", "or", "other", "out", "over", "she", "so", "some", "such", "than", "that", "the", "their", "them",
    "then", "there", "these", "they", "this", "those", "to", "up", "very", "was", "we", "were", "what", "when",
    "where", "which", "while", "who", "why", "will", "with", "would", "you",
})  # fmt: skip
"""Articles, pronouns, prepositions, conjunctions, auxiliaries and question words."""
