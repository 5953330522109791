"""Loads networks on the CPU, each on as many threads as a task may use, and tells in one line what does not work."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from instructions.errors import InstructionError
from recon.tasks import THREADS_PER_TASK

INSTALL = 'pip install "roomtour[light]"'
PACKAGES = ("onnxruntime", "ai_edge_litert")
"""What runs the files: ONNX and TFLite."""


def find_missing_packages() -> list[str]:
    """Packages of the extra that are not installed; nothing is loaded."""
    return [name for name in PACKAGES if find_spec(name) is None]


def load_onnx(path: Path) -> Any:
    """An ONNX Runtime session on the CPU.

    Raises:
        InstructionError: If the package is missing or the file is no such network.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise InstructionError(f"{path.name} needs onnxruntime: {INSTALL}") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = THREADS_PER_TASK
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 3  # errors only; they come as exceptions too
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the package has no base class of its own for these
        raise InstructionError(f"{path}: no network that onnxruntime can load: {_first_line(error)}") from error


def load_tflite(path: Path) -> Any:
    """A TFLite interpreter with its tensors allocated.

    Raises:
        InstructionError: If the package is missing or the file is no such network.
    """
    try:
        from ai_edge_litert.interpreter import Interpreter
    except ImportError as error:
        raise InstructionError(f"{path.name} needs ai-edge-litert: {INSTALL}") from error
    try:
        interpreter = Interpreter(str(path), num_threads=THREADS_PER_TASK)
        interpreter.allocate_tensors()
    except (ValueError, RuntimeError) as error:
        raise InstructionError(f"{path}: no network that ai-edge-litert can load: {_first_line(error)}") from error
    return interpreter


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
