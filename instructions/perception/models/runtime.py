"""Runs networks: device, precision, one batch at a time on the device, and what out-of-memory looks like."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from instructions.errors import InstructionError
from instructions.perception.models.options import Device, Dtype
from instructions.perception.models.weights import INSTALL, LocalModel
from recon.errors import first_line


@dataclass(frozen=True)
class Runtime:
    """Where and how precisely networks run on this machine."""

    device: str
    dtype: str
    """`float32`, or the precision of matrix products under autocast."""


def torch_modules() -> tuple[Any, Any]:
    """Modules torch and transformers.

    Raises:
        InstructionError: If they are not installed.
    """
    try:
        import torch
        import transformers
    except ImportError as error:
        raise InstructionError(f"learned models need torch and transformers: {INSTALL}") from error
    transformers.utils.logging.disable_progress_bar()  # the command line shows one of its own
    return torch, transformers


def pick_runtime(device: Device, dtype: Dtype) -> Runtime:
    """Turn `auto` into what this machine has.

    Raises:
        InstructionError: If the device asked for is not there, or torch is not installed.
    """
    torch, _ = torch_modules()
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if device != "auto" and not there[device]:
        have = ", ".join(name for name, is_there in there.items() if is_there)
        raise InstructionError(f"--vision.device {device}: torch sees no such device here; it has {have}")
    picked = next(name for name, is_there in there.items() if is_there) if device == "auto" else device
    precision = ("float16" if picked == "cuda" else "float32") if dtype == "auto" else dtype
    return Runtime(picked, precision)


class Network:
    """A loaded network in evaluation mode. Calls from several threads take turns on the device."""

    def __init__(self, module: Any, runtime: Runtime) -> None:
        self._torch, _ = torch_modules()
        self._runtime = runtime
        self._turn = threading.Lock()
        self.module = module.eval().to(runtime.device)

    @property
    def config(self) -> Any:
        """The network's configuration."""
        return self.module.config

    def __call__(self, call: Callable[..., Any] | None = None, **inputs: Any) -> Any:
        """Run the network, or another method of it, on tensors from any device; other inputs pass as they are."""
        moved = {
            name: value.to(self._runtime.device) if isinstance(value, self._torch.Tensor) else value
            for name, value in inputs.items()
        }
        with self._turn, self._torch.inference_mode(), self._precision():
            return (call or self.module)(**moved)

    def _precision(self) -> AbstractContextManager[Any]:
        if self._runtime.dtype == "float32":
            return nullcontext()
        return self._torch.autocast(self._runtime.device, dtype=getattr(self._torch, self._runtime.dtype))


_LOADING = threading.Lock()
"""transformers 5 replaces methods of its classes while it loads, and two loads at once can leave them replaced for good
(pull request 44940 of transformers)."""


def load_network(auto_class: Any, local: LocalModel, runtime: Runtime) -> Network:
    """Load safetensors weights from a folder: no network, no pickle, no code of the repository.

    Raises:
        InstructionError: If the folder does not hold such a model, or lacks some of its weights.
    """
    torch, _ = torch_modules()
    try:
        with _LOADING:
            module, report = auto_class.from_pretrained(
                local.path,
                local_files_only=True,
                use_safetensors=True,
                trust_remote_code=False,
                dtype=torch.float32,
                output_loading_info=True,
            )
    except (OSError, ValueError, RuntimeError, KeyError) as error:
        raise InstructionError(f"{local.name}: cannot be loaded: {first_line(error)}") from error
    missing = sorted(_tie_weights(module, set(report["missing_keys"])))
    if missing:
        raise InstructionError(
            f"{local.name}: {len(missing)} weights are missing, such as {missing[0]}; they would be random. "
            "Fetch the model again with `roomtour models pull`"
        )
    return Network(module, runtime)


def _tie_weights(module: Any, missing: set[str]) -> set[str]:
    """Share weights that a checkpoint holds once, if `from_pretrained` did not; return the names still missing.

    It leaves this out while any other thread of the process loads a model, of ours or not.
    """
    for target, source in module.all_tied_weights_keys.items():
        if target in missing and source not in missing:
            parent, _, name = target.rpartition(".")
            setattr(module.get_submodule(parent), name, module.get_parameter(source))
            missing = missing - {target}
    return missing


def load_part(auto_class: Any, local: LocalModel, **options: Any) -> Any:
    """Load a tokenizer or processor from a model's folder.

    Raises:
        InstructionError: If the folder has none.
    """
    try:
        return auto_class.from_pretrained(local.path, local_files_only=True, trust_remote_code=False, **options)
    except (OSError, ValueError, ImportError, KeyError) as error:
        raise InstructionError(f"{local.name}: its processor cannot be loaded: {first_line(error)}") from error


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that a batch was too big for the memory of the device or the machine."""
    if isinstance(error, MemoryError):
        return True
    text = str(error).lower()
    return isinstance(error, RuntimeError) and ("out of memory" in text or "can't allocate memory" in text)


def free_cached_memory() -> None:
    """Give back what torch keeps on a GPU for later, after a batch did not fit."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
