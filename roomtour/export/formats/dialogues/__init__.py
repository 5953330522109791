"""Formats of dialogues about pictures and point clouds."""
