"""What stages ask of those who work for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Workers(Protocol):
    """Runs tasks on items, in whatever processes it has. Results never depend on how many there are."""

    def map(self, task: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Results in the order of the items, as they are asked for: they can be counted and written while others run.

        Args:
            task: A function of a module, or a frozen dataclass that can be called; see `recon.tasks`.
            items: Drawn a few ahead of the results, so that many large ones need not be in memory at once.

        Raises:
            Exception: What the task raised, of the first item that failed.
            RoomtourError: If a worker is gone.
        """
        ...

    def map_in_threads(self, task: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
        """As `map`, for tasks that share what cannot leave this process, such as a model on a GPU."""
        ...

    @property
    def is_elsewhere(self) -> bool:
        """Whether tasks run on other machines, which see the run folder but should not open one database together."""
        ...

    @property
    def cpu_s(self) -> float:
        """CPU-seconds used so far by workers outside this process."""
        ...

    def close(self) -> None:
        """Stop at once whatever still runs. Nothing can be given out any more."""
        ...
