"""Adapters of learned models, one file each. Only these import torch and transformers, and only when one is built."""
