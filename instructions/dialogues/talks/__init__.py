"""Talks about views: who says what, by templates or by a language model."""
