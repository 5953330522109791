"""Formats of walks with texts: what agents that move are trained on."""
