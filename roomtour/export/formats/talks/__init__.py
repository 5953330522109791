"""Formats of questions and talks about views."""
