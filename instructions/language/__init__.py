"""Typed requests to a language model: messages, a schema, a client, kept replies and a budget. Knows no kind."""
