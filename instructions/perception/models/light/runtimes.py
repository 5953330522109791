"""Loads networks on the CPU, each on as many threads as a task may use, and tells in one line what does not work."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

from instructions.errors import InstructionError
from recon.errors import first_line
from recon.tasks import THREADS_PER_TASK

if TYPE_CHECKING:  # the command line asks what is missing, and starts without numpy
    from numpy.typing import NDArray

INSTALL = 'pip install "roomtour[light]"'
PACKAGES = ("onnxruntime", "ai_edge_litert")
"""What runs the files: ONNX and TFLite."""
_NOTE = b"INFO: Created TensorFlow Lite XNNPACK delegate"
_STDERR = threading.Lock()
"""The standard error is one for all threads."""


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
        raise InstructionError(f"{path}: no network that onnxruntime can load: {first_line(error)}") from error


class TfliteNetwork:
    """A TFLite network of one input and one output, on the CPU."""

    def __init__(self, path: Path, content: bytes | None = None, picture: tuple[int, int] | None = None) -> None:
        """Load it and allocate its tensors.

        Args:
            path: Its file.
            content: What to load in its place: the same network for pictures of another shape.
            picture: Height and width of that shape.

        Raises:
            InstructionError: If the package is missing or the file is no such network.
        """
        try:
            from ai_edge_litert.interpreter import Interpreter
        except ImportError as error:
            raise InstructionError(f"{path.name} needs ai-edge-litert: {INSTALL}") from error
        given: dict[str, Any] = {"model_path": str(path)} if content is None else {"model_content": content}
        try:
            with _without_note():
                network: Any = Interpreter(**given, num_threads=THREADS_PER_TASK)
                if picture is not None:
                    network.resize_tensor_input(network.get_input_details()[0]["index"], [1, *picture, 3])
                network.allocate_tensors()
        except (ValueError, RuntimeError) as error:
            raise InstructionError(f"{path}: no network that ai-edge-litert can load: {first_line(error)}") from error
        self._network = network
        (self._input,), (self._output,) = network.get_input_details(), network.get_output_details()
        self.quantization: tuple[float, int] = self._output["quantization"]
        """Scale and zero of the output: its values are scale times (number - zero)."""

    @property
    def size(self) -> tuple[int, int]:
        """Height and width of the pictures that it takes."""
        _, height, width, _ = (int(side) for side in self._input["shape"])
        return height, width

    def run(self, picture: NDArray[Any]) -> NDArray[Any]:
        """The output for one picture (height, width, 3)."""
        self._network.set_tensor(self._input["index"], picture[None])
        self._network.invoke()
        return self._network.get_tensor(self._output["index"])[0]


@contextmanager
def _without_note() -> Iterator[None]:
    """Keep one line off the standard error while inside; what else is written there comes at the end.

    ai-edge-litert tells of its XNNPACK delegate in C++, and has neither a function nor a variable to turn that off.
    """
    with _STDERR:
        sys.stderr.flush()
        kept = os.dup(2)
        try:
            with TemporaryFile() as told:
                os.dup2(told.fileno(), 2)
                try:
                    yield
                finally:
                    os.dup2(kept, 2)
                    told.seek(0)
                    os.write(2, b"".join(line for line in told if not line.startswith(_NOTE)))
        finally:
            os.close(kept)
