"""Least, largest, mean and standard deviation of values that pass by once."""

from __future__ import annotations

import numpy as np

from recon.geometry import Array


class RunningStats:
    """Of vectors of one length, entry by entry (Welford, in batches), in memory of a few vectors."""

    def __init__(self, length: int):
        self.count = 0
        """Vectors seen."""
        self._least, self._largest = np.full(length, np.inf), np.full(length, -np.inf)
        self._mean, self._squares = np.zeros(length), np.zeros(length)

    def add(self, values: Array) -> None:
        """Take in vectors (N, length), N at least 1."""
        count = len(values)
        mean = values.mean(axis=0)
        squares = ((values - mean) ** 2).sum(axis=0)
        total = self.count + count
        apart = mean - self._mean
        self._squares += squares + apart**2 * self.count * count / total
        self._mean += apart * count / total
        self.count = total
        self._least = np.minimum(self._least, values.min(axis=0))
        self._largest = np.maximum(self._largest, values.max(axis=0))

    @property
    def least(self) -> Array:
        """Least values; zeros for none seen."""
        return self._least if self.count else np.zeros_like(self._mean)

    @property
    def largest(self) -> Array:
        """Largest values; zeros for none seen."""
        return self._largest if self.count else np.zeros_like(self._mean)

    @property
    def mean(self) -> Array:
        """Means."""
        return self._mean

    @property
    def std(self) -> Array:
        """Standard deviations of the values seen."""
        return np.sqrt(self._squares / max(self.count, 1))
