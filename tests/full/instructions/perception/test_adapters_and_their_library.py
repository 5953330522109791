"""Adapters give what the library's own processors make of the same network: pixels, prompts, scales and sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from instructions.perception.models.catalog import Ability
from instructions.perception.models.depth_anything import DepthAnything
from instructions.perception.models.florence import parse_regions
from instructions.perception.models.grounding_dino import GroundingDino
from instructions.perception.models.options import ModelChoice
from instructions.perception.models.runtime import pick_runtime
from instructions.perception.models.sam import SamMasks
from instructions.perception.models.siglip import Siglip
from instructions.perception.models.weights import LocalModel, find_model
from tests.support.doubles.made_checkpoints import write_checkpoint

CPU = pick_runtime("cpu", "float32")
HEIGHT, WIDTH = 90, 160
BOXES = [(10.0, 12.0, 80.0, 60.0), (3.0, 3.0, 40.0, 85.0)]


@pytest.fixture
def image() -> np.ndarray:
    return np.random.default_rng(4).integers(0, 255, (HEIGHT, WIDTH, 3), dtype=np.uint8)


def make(kind: str, ability: Ability, folder: Path) -> LocalModel:
    return find_model(ability, ModelChoice(model=str(write_checkpoint(kind, folder / kind))))


@torch.inference_mode()
@pytest.mark.parametrize("kind", ["grounding-dino", "mm-grounding-dino"])
def test_boxes_and_scores_of_a_label(kind: str, image: np.ndarray, tmp_path: Path):
    local = make(kind, "boxes", tmp_path)
    (found,) = GroundingDino(local, CPU, 0.0).detect([image], [["coffee table"]])
    processor: Any = transformers.GroundingDinoProcessor.from_pretrained(local.path)
    network = transformers.AutoModelForZeroShotObjectDetection.from_pretrained(local.path).eval()
    inputs = processor(images=image, text=["coffee table"], return_tensors="pt")
    assert processor.tokenizer.decode(inputs["input_ids"][0]) == "[CLS] coffee table . [SEP]"
    output = network(**inputs)
    (told,) = processor.post_process_grounded_object_detection(
        output, inputs["input_ids"], threshold=0.0, target_sizes=[(HEIGHT, WIDTH)]
    )
    words = torch.sigmoid(output.logits[0, :, 1:3]).max(dim=1).values  # without the marks around them
    theirs = sorted(zip(words.tolist(), told["boxes"].tolist(), strict=True), reverse=True)
    assert len(found) == len(theirs)
    for one, (score, box) in zip(found, theirs, strict=True):
        assert one.score == pytest.approx(score, abs=1e-4)
        np.testing.assert_allclose(one.box_xyxy, np.clip(box, 0, [WIDTH, HEIGHT] * 2), atol=0.1)


@torch.inference_mode()
@pytest.mark.parametrize("kind", ["depth-anything-metric", "depth-anything-relative"])
def test_depth_in_the_size_of_the_picture(kind: str, image: np.ndarray, tmp_path: Path):
    local = make(kind, "depth", tmp_path)
    (found,) = DepthAnything(local, CPU).depth([image], 1)
    processor = transformers.AutoImageProcessor.from_pretrained(local.path, backend="pil")
    network = transformers.AutoModelForDepthEstimation.from_pretrained(local.path).eval()
    output = network(**processor(images=image, return_tensors="pt"))
    (told,) = processor.post_process_depth_estimation(output, target_sizes=[(HEIGHT, WIDTH)])
    theirs = told["predicted_depth"].numpy()
    assert found.shape == theirs.shape
    assert np.median(np.abs(found - theirs)) < 0.02 * np.abs(theirs).max()  # bilinear here, bicubic there


@torch.inference_mode()
def test_masks_of_boxes(image: np.ndarray, tmp_path: Path):
    local = make("sam", "masks", tmp_path)
    (found,) = SamMasks(local, CPU).masks([image], [BOXES])
    images = transformers.AutoImageProcessor.from_pretrained(local.path, backend="pil")
    processor: Any = transformers.SamProcessor(images)
    network = transformers.SamModel.from_pretrained(local.path).eval()
    inputs = processor(images=image, input_boxes=[[list(box) for box in BOXES]], return_tensors="pt")
    sizes = inputs["original_sizes"], inputs["reshaped_input_sizes"]
    inputs["input_boxes"] = inputs["input_boxes"].float()
    output = network(**inputs, multimask_output=False)
    (theirs,) = processor.image_processor.post_process_masks(output.pred_masks, *sizes)
    np.testing.assert_array_equal(np.stack(found), theirs[:, 0].numpy())


@torch.inference_mode()
def test_logits_of_texts(image: np.ndarray, tmp_path: Path):
    local = make("siglip", "tags", tmp_path)
    texts = ["a photo of a chair.", "sofa"]
    model = Siglip(local, CPU)
    images = transformers.AutoImageProcessor.from_pretrained(local.path, backend="pil")
    tokens = transformers.AutoTokenizer.from_pretrained(local.path)
    network = transformers.SiglipModel.from_pretrained(local.path).eval()
    inputs = tokens(texts, padding="max_length", max_length=64, return_tensors="pt")
    output = network(input_ids=inputs["input_ids"], **images(images=image, return_tensors="pt"))
    np.testing.assert_allclose(model.score(model.embed([image]), texts), output.logits_per_image.numpy(), atol=1e-4)


def test_regions_of_generated_text(tmp_path: Path):
    local = make("florence2", "regions", tmp_path)
    processor = transformers.AutoProcessor.from_pretrained(local.path, backend="pil")
    text = "</s><s>chair<loc_10><loc_20><loc_400><loc_700>red lamp<loc_0><loc_0><loc_999><loc_999></s>"
    parse = processor.post_processor.parse_description_with_bboxes_from_text_and_spans
    theirs = parse(text, image_size=(WIDTH, HEIGHT))
    found = parse_regions(text, WIDTH, HEIGHT)
    assert [one.text for one in found] == [one["cat_name"].removeprefix("</s><s>") for one in theirs]
    np.testing.assert_allclose([one.box_xyxy for one in found], [one["bbox"] for one in theirs], atol=1)
    assert processor._construct_prompts(["<OD>"]) == ["Locate the objects with category name in the image."]
