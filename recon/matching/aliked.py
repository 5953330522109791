"""ALIKED keypoints (Zhao et al., TIM 2023), matched by LightGlue (Lindenberger et al., ICCV 2023). For GPUs.

Both networks are those of kornia, in plain PyTorch, with the weights of their authors. LightGlue looks at all keypoints
of two pictures together, so it finds matches on bare walls where nearest neighbours are ambiguous: in a pan past bare
walls twice as many verified ones as XFeat has. On a CPU a frame takes seconds, and a pair as long.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.errors import ReconError
from recon.matching.interfaces import (
    LEARNED_GAPS,
    LEARNED_MAX_ERROR_PX,
    LEARNED_MIN_INLIERS,
    CompactKeypoints,
    DescriptorSpace,
    Indices,
    Keypoints,
    PairMatch,
)
from recon.matching.matching import verify
from recon.video.picture import Image

_NETWORK = "aliked-n16"
_DIMENSIONS = 128  # numbers of a descriptor of this network
_ZERO, _UNIT = 128.0, 256.0
"""How a signed number becomes a byte. Of 128 numbers of a unit vector, none is as large as a half."""
_BORDER_PX = 32  # the network wants more than its deepest cell, in each direction


_MAX_KEYPOINTS = 2048  # kept per frame, the surest first; LightGlue was trained with 2048
_MIN_MATCH_SCORE = 0.1  # probability that two keypoints are the same; LightGlue's authors use 0.1


@dataclass(frozen=True)
class Aliked:
    """See `Features`. The networks are loaded once per process, onto a GPU where torch has one."""

    weights: Path  # `aliked-n16.pth` of its authors
    matcher: Path  # `aliked_lightglue.pth` of its authors
    name: Literal["aliked"] = "aliked"
    is_grey: bool = False
    gaps: tuple[int, ...] = LEARNED_GAPS
    enough: int = _MAX_KEYPOINTS
    plenty: int = 0  # any number, where all are matched

    def detect(self, picture: Image, mask: Image | None) -> Keypoints:
        """Keypoints of an RGB picture (H, W, 3), the surest first; none where the mask is 0."""
        if min(picture.shape[:2]) <= _BORDER_PX:
            return Keypoints(np.zeros((0, 2), np.float32), np.zeros((0, _DIMENSIONS), np.uint8))
        torch, network, device = _load_detector(self.weights)
        batch = torch.from_numpy(np.ascontiguousarray(picture.transpose(2, 0, 1)))[None].to(device).float() / 255.0
        with torch.inference_mode():
            (found,) = network(batch)
        xy, vectors, scores = (
            tensor.float().cpu().numpy() for tensor in (found.keypoints, found.descriptors, found.keypoint_scores)
        )
        order = np.argsort(-scores, kind="stable")
        if mask is not None:
            fitting = cv2.resize(mask, picture.shape[1::-1], interpolation=cv2.INTER_NEAREST)
            columns, rows = np.round(xy[order]).astype(np.intp).T
            order = order[fitting[rows, columns] > 0]
        order = order[:_MAX_KEYPOINTS]
        # kornia counts from the centre of the first pixel, COLMAP from its corner.
        return Keypoints((xy[order] + 0.5).astype(np.float32), pack_offset(vectors[order]))

    def space(self, sample: NDArray[np.uint8]) -> DescriptorSpace:
        """The descriptors as they are: LightGlue wants them whole."""
        return WholeDescriptors()

    def match(self, first: CompactKeypoints, second: CompactKeypoints) -> PairMatch:
        """What LightGlue takes for the same, verified."""
        matches = self._find(first, second)
        return verify(first.xy, second.xy, matches, LEARNED_MAX_ERROR_PX, LEARNED_MIN_INLIERS)

    def _find(self, first: CompactKeypoints, second: CompactKeypoints) -> Indices:
        if not len(first.xy) or not len(second.xy):
            return np.zeros((0, 2), np.uint32)
        torch, network, device = _load_matcher(self.matcher)
        # LightGlue wants positions about the middle of the picture; where the keypoints of both reach stands for its
        # size, so that both are seen alike.
        size = np.ceil(np.maximum(first.xy.max(axis=0), second.xy.max(axis=0)))
        given = {
            name: {
                "keypoints": torch.tensor(keypoints.xy, device=device)[None],
                "descriptors": torch.tensor(keypoints.vectors, device=device)[None],
                "image_size": torch.tensor(size, device=device)[None],
            }
            for name, keypoints in (("image0", first), ("image1", second))
        }
        with torch.inference_mode():
            (matches,) = network(given)["matches"]
        return matches.cpu().numpy().astype(np.uint32).reshape(-1, 2)


class WholeDescriptors(DescriptorSpace):
    """Stored descriptors as unit vectors, on their own axes: words of revisits are of the first of them, then."""

    def __init__(self) -> None:
        """Nothing is learned from a sample."""

    def compact(self, keypoints: Keypoints) -> CompactKeypoints:
        """The same keypoints with descriptors as unit vectors (K, 128)."""
        vectors = unpack_offset(keypoints.descriptors)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return CompactKeypoints(keypoints.xy, vectors)


def pack_offset(vectors: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Unit vectors (K, 128) of either sign as bytes, one per number: the form in which COLMAP keeps descriptors."""
    return np.clip(np.round(_ZERO + _UNIT * vectors), 0.0, 255.0).astype(np.uint8)


def unpack_offset(descriptors: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The vectors (K, 128) of `pack_offset`, to 0.002."""
    return (descriptors.astype(np.float32) - np.float32(_ZERO)) / np.float32(_UNIT)


@lru_cache(maxsize=1)
def _load_detector(weights: Path) -> tuple[Any, Any, str]:
    torch, feature = _modules()
    # Without a threshold it keeps the strongest, as many as there may be: dim rooms have few strong ones. The mask
    # takes some away, so it is asked for all.
    network = feature.ALIKED(_NETWORK, max_num_keypoints=_MOST, detection_threshold=0.0)
    return torch, *_with_weights(torch, network, weights)


_MOST = 20_000  # more than a frame has


@lru_cache(maxsize=1)
def _load_matcher(weights: Path) -> tuple[Any, Any, str]:
    torch, feature = _modules()
    network = feature.LightGlue(features=None, input_dim=_DIMENSIONS, filter_threshold=_MIN_MATCH_SCORE)
    return torch, *_with_weights(torch, network, weights)


def _modules() -> tuple[Any, Any]:
    try:
        import torch
        from kornia import feature
    except ImportError as error:
        raise ReconError('ALIKED needs torch and kornia: pip install "roomtour[models]"') from error
    return torch, feature


def _with_weights(torch: Any, network: Any, weights: Path) -> tuple[Any, str]:
    """The network with weights from a file, ready, and the device on which it is.

    Raises:
        ReconError: If the file holds no weights of this network.
    """
    device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        state = torch.load(weights, map_location="cpu", weights_only=True)  # tensors only: nothing in it is run
        # What it computes itself is not in the files.
        absent = (
            set(network.load_state_dict(state, strict=False).missing_keys) & dict(network.named_parameters()).keys()
        )
    except (OSError, RuntimeError, ValueError, TypeError, AttributeError, EOFError, pickle.UnpicklingError) as error:
        raise ReconError(f"{weights}: no weights of this network: {str(error).splitlines()[0]}") from error
    if absent:
        raise ReconError(f"{weights}: no weights of this network: it lacks {len(absent)}, such as {min(absent)}")
    return network.eval().to(device), device
