"""Files of networks that no model hub keeps: where each comes from, by commit and content, and under what licence."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Part = Literal["yolox", "deimv2", "mosaic", "deeplab", "tags", "depth", "xfeat", "embedding"]


@dataclass(frozen=True)
class LightFile:
    """One pinned file of weights."""

    part: Part
    """What it is used as."""
    path: str
    """Below the folder of light models."""
    what: str
    licence: str
    repository: str
    commit: str
    source_path: str
    sha256: str
    size_bytes: int

    @property
    def url(self) -> str:
        """Where this very content can be fetched."""
        return f"https://raw.githubusercontent.com/{self.repository}/{self.commit}/{self.source_path}"

    @property
    def source(self) -> str:
        """How rows name it: `name@content`."""
        return f"{self.path.partition('/')[0]}@{self.sha256[:12]}"


LIGHT_FILES: tuple[LightFile, ...] = (
    LightFile(
        "yolox",
        "detect-yolox-nano/yolox_nano.onnx",
        "boxes of 80 COCO classes (YOLOX-nano)",
        "Apache-2.0",
        "Kazuhito00/YOLOX-ONNX-TFLite-Sample",
        "3d4f1119d0694200671c08069ecb847aa0d8495a",
        "model/yolox_nano.onnx",
        "695e750a5d5754bb5a8d5325643b59282191a7e7a564e435a415fd3c578eab14",
        3_660_092,
    ),
    LightFile(
        "deimv2",
        "detect-deimv2-femto/deimv2_femto.onnx",
        "boxes of 80 COCO classes (DEIMv2-Femto)",
        "Apache-2.0",
        "Kazuhito00/DEIMv2-ONNX-Sample",
        "f88d4382abca74edb26ed4c7f46190ac40da0ea5",
        "model/deimv2_hgnetv2_femto_coco.onnx",
        "c6ad358f750132b891165e034c2ba507abefc5ebe1c1d2732a0acbcacc47e52c",
        4_116_144,
    ),
    LightFile(
        "mosaic",
        "segment-mosaic-ade32/mobile_segmenter_r4_quant_argmax_uint8.tflite",
        "segments of 31 ADE20K classes (MOSAIC)",
        "Apache-2.0 (MLCommons)",
        "mlcommons/mobile_open",
        "86a873714efd6cb391c3a4751e3bb7b8f91b1449",
        "vision/mosaic/models_and_checkpoints/R4/mobile_segmenter_r4_quant_argmax_uint8.tflite",
        "da8b3822a22fde45ecaf0ff32022287eff58b500096971b04f3c1b292da66a3c",
        1_978_000,
    ),
    LightFile(
        "deeplab",
        "segment-deeplab-ade150/lite-model_deeplabv3-mobilenetv2-ade20k_1_default_1.tflite",
        "segments of 150 ADE20K classes, for close looks at things (DeepLab v3)",
        "Apache-2.0 (tensorflow/models)",
        "ucalyptus/SIH-Stargazers",
        "34dc5cb5d4ef1c0a3ae6c8c0f3093676fa26c91f",
        "models/segmentation/lite-model_deeplabv3-mobilenetv2-ade20k_1_default_1.tflite",
        "9476784566f88bf0bdc3169f0012fb7d08857b325811d8c1aaf5ada1c0d4e4f9",
        2_415_896,
    ),
    LightFile(
        "tags",
        "tags-mobilenet-edgetpu/mobilenet_edgetpu_224_1.0_uint8.tflite",
        "tags of 1000 ImageNet classes (MobileNet-EdgeTPU)",
        "Apache-2.0 (MLCommons)",
        "mlcommons/mobile_models",
        "1f9963316b81a63fdef1040133ae64f6e8879c5b",
        "v0_7/tflite/mobilenet_edgetpu_224_1.0_uint8.tflite",
        "5d63cb8ebd518217794221bbcb929ebb89c5ec37d736429a95650e88f9e904fa",
        4_193_912,
    ),
    LightFile(
        "depth",
        "depth-fastdepth-nyu/fast_depth_224.tflite",
        "depth of a picture, for near, closer and further (FastDepth)",
        "MIT",
        "openmv/openmv",
        "49a017eafd3aebda9b6b827bd2a367ded1592efc",
        "lib/models/fast_depth_224.tflite",
        "e8957602750f16ac130210868f4403b38b4042f0d10c00b89ec03fc3dc840125",
        1_680_480,
    ),
    LightFile(
        "xfeat",
        "features-xfeat/xfeat.onnx",
        "learned keypoints (XFeat)",
        "Apache-2.0",
        "verlab/accelerated_features",
        "c58e74fc86c0e1f9038e0fb8807de59d27dd30d5",
        "weights/xfeat.onnx",
        "54041f61f0d9b1968451a65fe0fd79e96692b1d8266c54a6939a73e847df5988",
        2_699_407,
    ),
    LightFile(
        "embedding",
        "embed-mobilenet-v1/mobilenet_v1_1.0_224_quant_embedding_extractor.tflite",
        "a vector per picture, by which videos of one home are found (MobileNet v1)",
        "Apache-2.0",
        "google-coral/test_data",
        "104342d2d3480b3e66203073dac24f4e2dbb4c41",
        "mobilenet_v1_1.0_224_quant_embedding_extractor.tflite",
        "f409ef4f73fcbb9667841965623c5c8524aac33d41b9bf5f3667161fb4a76319",
        3_251_736,
    ),
)
PERCEPTION_FILES = tuple(file for file in LIGHT_FILES if file.part not in ("xfeat", "embedding"))
"""What `--perception light` looks at frames with; the rest serves the reconstruction of hard homes, and `collect`."""


def hash_file(path: Path) -> str:
    """Sha256 of a file's content, in hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
