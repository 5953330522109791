"""The reference loader's feature files (HDF5): a vector per described view, and per view and candidates of a path."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from instructions.errors import InstructionError
from instructions.perception.interfaces import RgbImage
from instructions.perception.models.options import ModelChoice
from instructions.perception.models.runtime import load_network, load_part, pick_runtime, torch_modules
from instructions.perception.models.weights import LocalModel, find_cached_folder
from roomtour.errors import RoomtourError
from roomtour.export.core.records import Problem, RunData, format_value
from roomtour.export.core.run_files import read_image


class ImageEncoder(Protocol):
    """Turns images into the vectors a model is trained on."""

    @property
    def name(self) -> str:
        """For file names: letters, digits, `-`, `_` and `.` only."""
        ...

    def encode(self, images: Sequence[RgbImage]) -> NDArray[np.float32]:
        """(N, d) features as the encoder gives them, not normalised."""
        ...


class TransformersEncoder:
    """CLIP, SigLIP, DINOv2 or another image encoder, from a local folder or the Hugging Face cache.

    Repositories of `timm` are loaded by its wrapper in `transformers`, which gives what `timm` gives before its head:
    1024 numbers of EVA-CLIP-02-L, the encoder of the reference model.
    """

    def __init__(self, model: str):
        """Load the weights; nothing is downloaded.

        Raises:
            InstructionError: If torch is not installed, or the model is not on this machine or has no image encoder.
        """
        _, transformers = torch_modules()
        folder = find_cached_folder(ModelChoice(model=model))
        if folder is None:
            raise InstructionError(
                f"--features {model}: not in the Hugging Face cache. Fetch it there first, or name a local folder"
            )
        local = LocalModel(model, "local", folder)
        self.name = safe_name(model)
        if _is_of_timm(folder) and find_spec("timm") is None:
            raise InstructionError(f'--features {model}: is a model of timm: pip install "roomtour[timm]"')
        self._network = load_network(transformers.AutoModel, local, pick_runtime("auto", "auto"))
        self._processor = load_part(transformers.AutoImageProcessor, local, backend="pil")
        self._method = getattr(self._network.module, "get_image_features", None)
        if self._method is None and self._network.module.main_input_name != "pixel_values":
            raise InstructionError(f"--features {model}: takes {self._network.module.main_input_name}, not images")

    def encode(self, images: Sequence[RgbImage]) -> NDArray[np.float32]:
        """See `ImageEncoder`."""
        pixels = self._processor(images=list(images), return_tensors="pt")["pixel_values"]
        return _features(self._network(self._method, pixel_values=pixels)).float().cpu().numpy()


def safe_name(model: str) -> str:
    """The last part of a model's id or folder, fit for a file name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", Path(model).name).strip("-.") or "encoder"


def _is_of_timm(folder: Path) -> bool:
    """Whether a configuration is of `timm`, which names the architecture and no type of model."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False  # what is wrong with it is said where it is loaded
    return isinstance(config, dict) and "architecture" in config and "model_type" not in config


def _features(output: Any) -> Any:
    """The tensor (N, d) of an output: projected features where there are any, else pooled ones or the first token."""
    if hasattr(output, "shape"):
        return output
    for name in ("image_embeds", "pooler_output"):
        tensor = getattr(output, name, None)
        if tensor is not None:
            return tensor
    return output.last_hidden_state[:, 0]


DESCRIBED, CROPS = "web_obj_prog_p1_{}.hdf5", "web_3d_obj_prog_crop_p1_{}.hdf5"
REFERENCE_SIZE = 1024
_BATCH = 16

CONVENTION = """\
* `web_obj_prog_p1_{encoder}.hdf5`: one vector per image of a description, key `{videoId}_{image_id}`.
* `web_3d_obj_prog_crop_p1_{encoder}.hdf5`: (1, d) per view of a path after the first, key the view; (n, d) per
  candidates, key the longId, rows in its order. Vectors are of the whole view, as the encoder gives them."""


def h5py_module() -> Any:
    """Module h5py.

    Raises:
        RoomtourError: If it is not installed.
    """
    try:
        import h5py
    except ImportError as error:
        raise RoomtourError('feature files need h5py: pip install "roomtour[models]"') from error
    return h5py


class FeatureFiles(AbstractContextManager["FeatureFiles"]):
    """Both files of a dataset. Memory holds the vectors of one tour."""

    def __init__(self, folder: Path, encoder: ImageEncoder):
        h5py = h5py_module()
        self._encoder = encoder
        self._described = h5py.File(folder / DESCRIBED.format(encoder.name), "w")
        self._crops = h5py.File(folder / CROPS.format(encoder.name), "w")
        self.size = 0
        """Of a vector; 0 before the first."""
        self._run: RunData | None = None
        self._vectors: dict[int, NDArray[np.float32]] = {}

    def __exit__(self, *_: object) -> None:
        self._described.close()
        self._crops.close()

    def begin_tour(self, run: RunData) -> None:
        """Forget the vectors of the tour before."""
        self._run, self._vectors = run, {}

    def add_path(self, long_id: str, views: Sequence[tuple[str, int]], candidates: Sequence[int]) -> None:
        """Write what the loader asks for one record.

        Args:
            long_id: The record's.
            views: Name and frame of each view of the path.
            candidates: Frames of `long_id`, in its order.
        """
        self._encode([frame for _, frame in views[1:]] + list(candidates))
        for name, frame in views[1:]:
            if name not in self._crops:
                self._crops[name] = self._vectors[frame][None]
        if long_id not in self._crops:
            self._crops[long_id] = np.stack([self._vectors[frame] for frame in candidates])

    def add_description(self, images: Sequence[tuple[str, int]]) -> None:
        """Write the vectors of a description's images, given by key and frame."""
        self._encode([frame for _, frame in images])
        for key, frame in images:
            if key not in self._described:
                self._described[key] = self._vectors[frame]

    def _encode(self, frames: Iterable[int]) -> None:
        new = [frame for frame in dict.fromkeys(frames) if frame not in self._vectors]
        for at in range(0, len(new), _BATCH):
            batch = new[at : at + _BATCH]
            vectors = self._encoder.encode([self._image(frame) for frame in batch])
            self._vectors.update(zip(batch, vectors.astype(np.float32), strict=True))
            self.size = vectors.shape[1]

    def _image(self, frame: int) -> NDArray[np.uint8]:
        assert self._run is not None, "begin_tour comes first"
        path = self._run.frames_dir / self._run.scene.frame_by_index[frame].image
        return np.ascontiguousarray(read_image(path, self._run.scene.id)[:, :, ::-1])


Wanted = Mapping[str, int | None]
"""Rows by key; None for a plain vector."""


def check_features(folder: Path, crops: Wanted, described: Wanted) -> list[Problem]:
    """Every broken rule of the feature files in a folder; none where there are no such files."""
    problems: list[Problem] = []
    for pattern, other, wanted in ((CROPS, DESCRIBED, crops), (DESCRIBED, CROPS, described)):
        prefix, suffix = pattern.split("{}")
        for file in sorted(folder.glob(pattern.format("*"))):
            encoder = file.name.removeprefix(prefix).removesuffix(suffix)
            if not (folder / other.format(encoder)).is_file():
                problems.append(Problem(other.format(encoder), None, "file", f"a file beside {file.name}", "none"))
            problems += _check_file(file, wanted)
    return problems


def _check_file(file: Path, wanted: Wanted) -> Iterator[Problem]:
    h5py = h5py_module()
    try:
        content = h5py.File(file, "r")
    except OSError as error:
        yield Problem(file.name, None, "hdf5", "an HDF5 file", format_value(str(error)))
        return
    size: int | None = None
    with content:
        for key, rows in wanted.items():
            features = content.get(key)
            if not isinstance(features, h5py.Dataset):
                yield Problem(file.name, key, "key", "features under this key", "none")
                continue
            size = size or int(features.shape[-1] if features.shape else 0)
            need = (size,) if rows is None else (rows, size)
            if features.shape != need or not size:
                yield Problem(file.name, key, "shape", f"{need}", f"{features.shape}")
            elif features.dtype.kind != "f" or not np.isfinite(features[()]).all():
                yield Problem(file.name, key, "values", "finite floats", f"{features.dtype}")
