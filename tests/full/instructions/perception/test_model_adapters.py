"""Every adapter, through transformers, on tiny random checkpoints that the test writes. No hub, no pickles.

What random weights say means nothing: these tests hold shapes, units, rules and determinism.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import transformers
from transformers.initialization import no_tie_weights

from instructions.errors import InstructionError
from instructions.perception.models.depth_anything import DepthAnything
from instructions.perception.models.florence import Florence, parse_regions
from instructions.perception.models.grounding_dino import GroundingDino
from instructions.perception.models.options import ModelChoice, VisionOptions
from instructions.perception.models.runtime import Network, is_out_of_memory, load_network, pick_runtime
from instructions.perception.models.sam import SamMasks
from instructions.perception.models.siglip import Siglip
from instructions.perception.models.weights import find_cached_folder, find_model, what_is_wrong
from tests.support.cases import each_case
from tests.support.doubles.made_checkpoints import KINDS, write_checkpoint

CPU = pick_runtime("cpu", "auto")
HEIGHT, WIDTH = 90, 160


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints")
    for kind in KINDS:
        write_checkpoint(kind, folder / kind)
    return folder


@pytest.fixture(autouse=True)
def no_hub(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture
def images() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.integers(0, 255, (HEIGHT, WIDTH, 3), dtype=np.uint8) for _ in range(3)]


@pytest.fixture
def local(checkpoints):
    return lambda ability, kind: find_model(ability, ModelChoice(model=str(checkpoints / kind)))


@pytest.mark.parametrize("kind", ["grounding-dino", "mm-grounding-dino"])
def test_boxes_have_asked_labels_and_lie_in_the_image(local, images, kind):
    detector = GroundingDino(local("boxes", kind), CPU, threshold=0.01)
    wanted = [["chair", "coffee table"], [], ["sofa"]]
    found = detector.detect(images, wanted)
    assert found[1] == []
    assert found[0]
    for boxes, labels in zip(found, wanted, strict=True):
        assert {box.label for box in boxes} <= set(labels)
        assert [box.score for box in boxes] == sorted((box.score for box in boxes), reverse=True)
        for box in boxes:
            x0, y0, x1, y1 = box.box_xyxy
            assert 0 <= x0 < x1 <= WIDTH
            assert 0 <= y0 < y1 <= HEIGHT
            assert 0.01 <= box.score <= 1
    assert detector.detect(images, wanted) == found


def test_more_labels_than_the_model_reads_are_asked_in_several_texts(local, images):
    detector = GroundingDino(local("boxes", "grounding-dino"), CPU, threshold=0.0)
    many = [f"thing number {number}" for number in range(60)]
    found = detector.detect(images[:1], [many])[0]
    assert len(found) > 10, "ten queries for each text"
    assert {box.label for box in found} <= set(many)


@pytest.mark.parametrize(("kind", "is_metric"), [("depth-anything-metric", True), ("depth-anything-relative", False)])
def test_depth_is_sampled_on_the_pixel_grid_of_the_frame(local, images, kind, is_metric):
    model = DepthAnything(local("depth", kind), CPU)
    assert model.is_metric == is_metric
    full, coarse = model.depth(images, 1), model.depth(images, 4)
    assert full[0].shape == (HEIGHT, WIDTH)
    assert coarse[0].shape == (23, 40)
    np.testing.assert_array_equal(coarse[1], full[1][::4, ::4])
    assert np.isfinite(full[0]).all()
    if is_metric:
        assert 0 < full[0].min() <= full[0].max() <= 20


def test_masks_are_of_the_frame_one_per_box_in_order(local, images):
    model = SamMasks(local("masks", "sam"), CPU)
    boxes = [[(1.0, 2.0, 50.0, 60.0), (3.0, 3.0, 9.0, 9.0)], [], [(10.0, 10.0, 100.0, 80.0)]]
    masks = model.masks(images, boxes)
    assert [len(own) for own in masks] == [2, 0, 1]
    assert all(mask.shape == (HEIGHT, WIDTH) and mask.dtype == bool for own in masks for mask in own)
    alone = model.masks(images[2:], boxes[2:])
    assert np.mean(alone[0][0] != masks[2][0]) < 0.01, "padding with boxes changes nothing"


def test_embeddings_are_unit_vectors_and_texts_are_scored(local, images):
    model = Siglip(local("tags", "siglip"), CPU)
    vectors = model.embed(images)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    words = [f"thing {number}" for number in range(70)]  # more than fit into one text batch
    scores = model.score(vectors, words)
    assert scores.shape == (3, 70)
    np.testing.assert_allclose(model.score(vectors[1:2], words[66:68]), scores[1:2, 66:68], atol=1e-4)
    assert model.score(vectors, []).shape == (3, 0)


def test_florence_runs_through_generation(local, images):
    regions = Florence(local("regions", "florence2"), CPU).regions(images)
    assert len(regions) == 3
    for region in (region for own in regions for region in own):
        assert region.text
        assert 0 <= region.box_xyxy[0] < region.box_xyxy[2] <= WIDTH


def test_generated_regions_are_parsed():
    two_boxes = "</s><s>chair<loc_0><loc_0><loc_499><loc_999><loc_500><loc_0><loc_999><loc_499>"
    cut_short, no_area = "red lamp<loc_9><loc_9><loc_99>", "dot<loc_5><loc_5><loc_5><loc_5></s><pad>"
    regions = parse_regions(two_boxes + cut_short + no_area, 1000, 100)
    assert [region.text for region in regions] == ["chair", "chair"]
    assert regions[0].box_xyxy == pytest.approx((0.5, 0.05, 499.5, 99.95))
    assert regions[1].box_xyxy == pytest.approx((500.5, 0.05, 999.5, 49.95))


def test_a_local_model_is_named_by_its_content(checkpoints, tmp_path):
    first = find_model("masks", ModelChoice(model=str(checkpoints / "sam")))
    copy = tmp_path / "sam"
    copy.mkdir()
    for file in (checkpoints / "sam").iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    assert find_model("masks", ModelChoice(model=str(copy))).source == first.source
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**config, "initializer_range": 0.5}))
    assert find_model("masks", ModelChoice(model=str(copy))).revision != first.revision


def test_a_model_that_is_not_here_is_never_fetched(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    choice = ModelChoice(model="someone/some-model", revision="abc")
    assert find_cached_folder(choice) is None
    with pytest.raises(InstructionError, match=r"someone/some-model at revision abc: not in the Hugging Face cache"):
        find_model("boxes", choice)


def test_a_cached_model_is_found_by_name_and_named_by_its_commit(checkpoints, tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    repository, commit = tmp_path / "models--someone--tiny-sam", "0123456789abcdef" * 2 + "01234567"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text(commit)
    snapshot = repository / "snapshots" / commit
    snapshot.mkdir(parents=True)
    choice = ModelChoice(model="someone/tiny-sam")
    with pytest.raises(InstructionError, match=r"has no readable config\.json"):
        find_model("masks", choice)
    for file in (checkpoints / "sam").iterdir():
        (snapshot / file.name).write_bytes(file.read_bytes())
    found = find_model("masks", choice)
    assert (found.revision, found.source) == (commit, "someone/tiny-sam@0123456789ab")
    assert find_model("masks", ModelChoice(model="someone/tiny-sam", revision=commit)) == found


def test_a_model_of_another_kind_is_refused(checkpoints):
    with pytest.raises(InstructionError, match="is a model of type 'sam', need grounding-dino or mm-grounding-dino"):
        find_model("boxes", ModelChoice(model=str(checkpoints / "sam")))


def test_pickled_and_incomplete_weights_are_refused(checkpoints, tmp_path):
    for name in ("config.json", "processor_config.json"):
        (tmp_path / name).write_bytes((checkpoints / "sam" / name).read_bytes())
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickle")
    assert what_is_wrong("masks", tmp_path) == "has no model.safetensors; pickled weights are never loaded"
    index = {"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    (tmp_path / "model-1.safetensors").write_bytes(b"")
    assert what_is_wrong("masks", tmp_path) == "lacks 1 of 2 weight files, such as model-2.safetensors"
    (tmp_path / "config.json").write_text("{")
    assert what_is_wrong("masks", tmp_path) == "has no readable config.json"


def test_weights_that_are_missing_are_not_left_random(checkpoints, tmp_path):
    from safetensors.numpy import load_file, save_file

    for file in (checkpoints / "sam").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    weights = load_file(tmp_path / "model.safetensors")
    weights.pop("mask_decoder.iou_token.weight")
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(InstructionError, match=r"1 weights are missing, such as mask_decoder\.iou_token\.weight"):
        SamMasks(find_model("masks", ModelChoice(model=str(tmp_path))), CPU)


def load_florence(checkpoints: Path) -> Network:
    local = find_model("regions", ModelChoice(model=str(checkpoints / "florence2")))
    return load_network(transformers.Florence2ForConditionalGeneration, local, CPU)


def has_shared_words(network: Network) -> bool:
    language, shared = network.module.model.language_model, network.module.model.language_model.shared.weight
    tied = (language.encoder.embed_tokens, language.decoder.embed_tokens, network.module.lm_head)
    return all(part.weight is shared for part in tied) and not shared.is_meta


def test_threads_that_load_at_once_lose_no_weights(checkpoints):
    with ThreadPoolExecutor(2) as pool:
        networks = list(pool.map(load_florence, [checkpoints] * 4))
    assert all(map(has_shared_words, networks))
    assert transformers.PreTrainedModel.tie_weights.__name__ == "tie_weights", "the library's class is as it was"


def test_weights_are_shared_though_another_thread_loads_a_model_of_its_own(checkpoints):
    with no_tie_weights():  # what a load does to the classes of the whole process
        network = load_florence(checkpoints)
    assert has_shared_words(network)


def test_code_in_a_model_folder_is_never_run(checkpoints, tmp_path):
    for file in (checkpoints / "depth-anything-metric").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    config["auto_map"] = {"AutoConfig": "evil.Config", "AutoModelForDepthEstimation": "evil.Model"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass Config: pass\nclass Model: pass\n")
    DepthAnything(find_model("depth", ModelChoice(model=str(tmp_path))), CPU)
    assert not (tmp_path / "ran").exists()


def test_a_device_that_is_not_there_is_refused(monkeypatch):
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InstructionError, match="torch sees no such device here; it has"):
        pick_runtime("cuda", "auto")


@each_case(
    ("error", "is_memory"),
    [
        (RuntimeError("CUDA out of memory. Tried to allocate"), True),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried"), True),
        (MemoryError(), True),
        (RuntimeError("shapes do not match"), False),
        (ValueError("out of memory of the poet"), False),
    ],
)
def test_out_of_memory_is_recognised(error, is_memory):
    assert is_out_of_memory(error) == is_memory


def test_options_that_cannot_work_together_are_refused():
    with pytest.raises(InstructionError, match="boxes need tags"):
        VisionOptions(tags=ModelChoice(model=""), regions=ModelChoice(model=""))
    with pytest.raises(InstructionError, match="masks need boxes"):
        VisionOptions(boxes=ModelChoice(model=""), masks=ModelChoice(model="m"))
    with pytest.raises(InstructionError, match="batch is 0"):
        ModelChoice(model="m", batch=0)
