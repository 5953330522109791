"""What this machine lets us use: packages, and cores and memory, by affinity and by the limits of a container."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")
_MB = 1e6


def find_version(package: str) -> str | None:
    """Of an installed package; None where it is not."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def count_cores(cgroup: Path = _CGROUP) -> int:
    """Cores that this process may use: those it may run on, or fewer where a container has a quota.

    Args:
        cgroup: Where the limits of the container stand.
    """
    mine = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = (cgroup / "cpu.max").read_text(encoding="ascii").split()
        return max(1, min(mine, int(int(quota) / int(period))))
    except (OSError, ValueError, ZeroDivisionError):  # no quota, or `max`
        return mine


def free_memory_mb(cgroup: Path = _CGROUP) -> float:
    """Memory that programs can have without swapping, in 10^6 bytes; within the limit of a container.

    Args:
        cgroup: Where the limits of the container stand.
    """
    free = _free_of_machine()
    try:
        limit, used = (int((cgroup / name).read_text(encoding="ascii")) for name in ("memory.max", "memory.current"))
        return max(0.0, min(free, (limit - used) / _MB))
    except (OSError, ValueError):  # no limit, or `max`
        return free


def peak_memory_mb() -> float:
    """Most resident memory that this process ever had, in 10^6 bytes; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / _MB if sys.platform == "darwin" else peak * 1024 / _MB


def list_gpus(driver: Path = Path("/proc/driver/nvidia/gpus")) -> tuple[str, ...]:
    """Names of the NVIDIA GPUs that this process may use, for `CUDA_VISIBLE_DEVICES`; nothing is loaded to find out."""
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    if chosen is not None:
        return tuple(name for word in chosen.split(",") if (name := word.strip()) and name != "-1")
    return tuple(str(number) for number, _ in enumerate(driver.iterdir())) if driver.is_dir() else ()


def holds_gpu() -> bool:
    """Whether this process has used a GPU for networks; loads nothing to find out."""
    torch = sys.modules.get("torch")
    return torch is not None and bool(torch.cuda.is_initialized())


def _free_of_machine() -> float:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        figures = dict(line.split(":", 1) for line in lines)
        return int(figures["MemAvailable"].split()[0]) * 1024 / _MB
    except (OSError, KeyError, ValueError):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / _MB
