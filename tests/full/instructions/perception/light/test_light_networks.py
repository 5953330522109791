"""The real light networks, as `roomtour models pull light` brings them: labels, boxes and segments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from instructions.errors import InstructionError
from instructions.perception.models.light.deeplab import Deeplab
from instructions.perception.models.light.deimv2 import Deimv2
from instructions.perception.models.light.labels import ade150_words, ade_words, coco_words, network_names
from instructions.perception.models.light.mosaic import Mosaic
from instructions.perception.models.light.yolox import Yolox
from tests.support.cases import each_case

FOLDERS = {
    "coco": "detect-yolox-nano",
    "ade": "segment-mosaic-ade32",
    "ade150": "segment-deeplab-ade150",
    "imagenet": "tags-mobilenet-edgetpu",
}
DEEPLAB = "segment-deeplab-ade150/lite-model_deeplabv3-mobilenetv2-ade20k_1_default_1.tflite"
MOSAIC = "segment-mosaic-ade32/mobile_segmenter_r4_quant_argmax_uint8.tflite"
WANTED = [sorted({word for word in coco_words() if word})]


@pytest.mark.parametrize(
    ("adapter", "file"),
    [(Yolox, "detect-yolox-nano/yolox_nano.onnx"), (Deimv2, "detect-deimv2-femto/deimv2_femto.onnx")],
)
def test_real_detectors_find_nothing_in_gray_and_stay_inside_the_picture(light_models: Path, adapter, file: str):
    detector = adapter(light_models / file, 0.05)
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 255, (270, 480, 3), dtype=np.uint8)
    gray = np.full((480, 270, 3), 114, dtype=np.uint8)
    for image, found in zip((noise, gray), detector.detect([noise, gray], WANTED * 2), strict=True):
        for one in found:
            x0, y0, x1, y1 = one.box_xyxy
            assert 0 <= x0 < x1 <= image.shape[1]
            assert 0 <= y0 < y1 <= image.shape[0]
    assert [one for one in detector.detect([gray], WANTED)[0] if one.score > 0.3] == []
    assert detector.detect([noise], [[]]) == [[]]


@each_case("network", FOLDERS)
def test_classes_stand_in_the_order_of_the_label_files(light_models: Path, network: str):
    lines = (light_models / FOLDERS[network] / "labels.txt").read_text(encoding="utf-8").splitlines()
    assert list(network_names()[network]) == lines


def test_the_real_network_covers_the_picture(light_models):
    network = Mosaic(light_models / MOSAIC)
    wide, tall = network.segment(
        [np.full((360, 640, 3), 90, dtype=np.uint8), np.full((640, 360, 3), 90, dtype=np.uint8)]
    )
    assert wide.shape == (144, 256)
    assert tall.shape == (256, 144)
    assert int(wide.max()) < len(ade_words())


def test_the_segmenter_of_close_looks_takes_pictures_of_any_shape(light_models: Path):
    network = Deeplab(light_models / DEEPLAB, 0.5)
    wide, tall = network.segment([np.full(shape, 90, dtype=np.uint8) for shape in ((360, 640, 3), (640, 360, 3))])
    assert wide.shape[1] == tall.shape[0] == 65
    assert wide.shape[0] / wide.shape[1] == pytest.approx(9 / 16, abs=0.02)
    known = ade150_words()
    assert all(known[number] for number in {*np.unique(wide), *np.unique(tall)} - {0}), "nothing from outdoors"


def test_a_file_that_is_no_network_is_told_in_one_line(tmp_path: Path):
    path = tmp_path / "yolox.onnx"
    path.write_bytes(b"no network")
    with pytest.raises(InstructionError, match="no network that onnxruntime can load") as caught:
        Yolox(path, 0.3)
    assert "\n" not in str(caught.value)
