"""Checkpoints with random weights, written with `save_pretrained`: tiny ones for tests, full-size ones for benchmarks.

Configuration, tokenizer and processor are made here, so nothing is downloaded. What such a model says means nothing;
shapes, files and the way through an adapter are those of the real thing.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import torch
import transformers
from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers import models as token_models

Size = Literal["tiny", "full"]
WORDS = tuple(
    ["a", "photo", "of", "the", "chair", "table", "coffee", "sofa", "bed", "lamp", "door", "room", "living", "kitchen"]
)


def write_checkpoint(kind: str, folder: Path, size: Size = "tiny") -> Path:
    """Write one checkpoint of `KINDS` to a folder and return the folder. Seeded, so the same call gives the same."""
    torch.manual_seed(1)
    KINDS[kind](folder, size == "full")
    return folder


def write_sentence_encoder(folder: Path) -> Path:
    """Write a tiny BERT with its tokenizer, seeded; returns the folder."""
    tokenizer = make_word_pieces()
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64
    )
    transformers.BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def make_word_pieces() -> transformers.PreTrainedTokenizerFast:
    """A BERT tokenizer that knows `WORDS` and can spell all others."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    special_pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = [*special_pieces, ".", ",", "-", *WORDS, *letters, *(f"##{letter}" for letter in letters)]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(token_models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = [(name, vocabulary[name]) for name in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=special
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )


def _bytes() -> Tokenizer:
    """A byte-level tokenizer without merges: every byte is one token."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    vocabulary = {token: number for number, token in enumerate([*special, *alphabet])}
    tokenizer = Tokenizer(token_models.BPE(vocabulary, [], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _grounding_dino(folder: Path, full: bool, *, mm: bool = False) -> None:
    tokenizer = make_word_pieces()
    family = "MMGroundingDino" if mm else "GroundingDino"
    config_class = getattr(transformers, f"{family}Config")
    model_class = getattr(transformers, f"{family}ForObjectDetection")
    stages: dict[str, Any] = {"out_features": ["stage2", "stage3", "stage4"], "out_indices": [2, 3, 4]}
    if full:
        backbone = transformers.SwinConfig(image_size=224, window_size=7, embed_dim=96, depths=[2, 2, 6, 2], **stages)
        config = config_class(backbone_config=backbone, text_config=transformers.BertConfig())
    else:
        backbone = transformers.SwinConfig(
            image_size=64, window_size=2, embed_dim=8, depths=[1, 1, 1, 1], num_heads=[1, 1, 1, 1], **stages
        )
        text = transformers.BertConfig(
            vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
        )
        config = config_class(
            backbone_config=backbone,
            text_config=text,
            d_model=32,
            encoder_layers=1,
            encoder_ffn_dim=16,
            encoder_attention_heads=2,
            decoder_layers=2,  # one layer would leave nothing to tie the box heads to
            decoder_ffn_dim=16,
            decoder_attention_heads=2,
            num_queries=10,
        )
    model_class(config).save_pretrained(folder)
    edge = {"shortest_edge": 800, "longest_edge": 1333} if full else {"shortest_edge": 64, "longest_edge": 107}
    image_processor = transformers.GroundingDinoImageProcessorPil(size=edge)
    transformers.GroundingDinoProcessor(image_processor, tokenizer).save_pretrained(folder)


def _mm_grounding_dino(folder: Path, full: bool) -> None:
    _grounding_dino(folder, full, mm=True)


def _depth_anything(folder: Path, full: bool, *, kind: str = "metric") -> None:
    side = 518 if full else 56
    if full:
        backbone = transformers.Dinov2Config(
            hidden_size=384, num_attention_heads=6, image_size=side, patch_size=14, reshape_hidden_states=False,
            **_taps(3, 6, 9, 12),
        )  # fmt: skip
        config = transformers.DepthAnythingConfig(
            backbone_config=backbone, reassemble_hidden_size=384, neck_hidden_sizes=[48, 96, 192, 384],
            fusion_hidden_size=64, depth_estimation_type=kind, max_depth=20,
        )  # fmt: skip
    else:
        backbone = transformers.Dinov2Config(
            hidden_size=8, num_hidden_layers=2, num_attention_heads=2, mlp_ratio=1, image_size=side, patch_size=14,
            reshape_hidden_states=False, **_taps(1, 2),
        )  # fmt: skip
        config = transformers.DepthAnythingConfig(
            backbone_config=backbone, patch_size=14, reassemble_hidden_size=8, reassemble_factors=[4, 2],
            neck_hidden_sizes=[4, 8], fusion_hidden_size=8, head_hidden_size=4, depth_estimation_type=kind,
            max_depth=20,
        )  # fmt: skip
    transformers.DepthAnythingForDepthEstimation(config).save_pretrained(folder)
    transformers.DPTImageProcessorPil(
        size={"height": side, "width": side}, keep_aspect_ratio=True, ensure_multiple_of=14
    ).save_pretrained(folder)


def _taps(*layers: int) -> dict[str, Any]:
    """The layers of a backbone that are handed on."""
    return {"out_indices": list(layers)}


def _depth_anything_relative(folder: Path, full: bool) -> None:
    _depth_anything(folder, full, kind="relative")


def _sam(folder: Path, full: bool) -> None:
    if full:
        config = transformers.SamConfig()
        image_processor = transformers.SamImageProcessorPil()
    else:
        config = transformers.SamConfig(
            vision_config={
                "hidden_size": 16, "output_channels": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
                "image_size": 64, "patch_size": 16, "mlp_dim": 16, "window_size": 2, "global_attn_indexes": [0],
                "num_pos_feats": 4,
            },
            prompt_encoder_config={"hidden_size": 8, "image_size": 64, "patch_size": 16, "mask_input_channels": 4},
            mask_decoder_config={
                "hidden_size": 8,
                "mlp_dim": 16,
                "num_hidden_layers": 1,
                "num_attention_heads": 2,
                "iou_head_hidden_dim": 8,
            },
        )  # fmt: skip
        image_processor = transformers.SamImageProcessorPil(
            size={"longest_edge": 64},
            pad_size={"height": 64, "width": 64},
            mask_size={"longest_edge": 16},
            mask_pad_size={"height": 16, "width": 16},
        )
    transformers.SamModel(config).save_pretrained(folder)
    transformers.SamProcessor(image_processor).save_pretrained(folder)


def _siglip(folder: Path, full: bool) -> None:
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=_bytes(), pad_token="<pad>", eos_token="</s>", unk_token="<unk>", model_max_length=64
    )
    if full:
        config = transformers.SiglipConfig(
            text_config={"vocab_size": 256000, "projection_size": 768}, vision_config={"image_size": 224}
        )
        side = 224
    else:
        side = 32
        small: dict[str, Any] = {
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
        }
        config = transformers.SiglipConfig(
            text_config={
                **small, "vocab_size": len(tokenizer), "max_position_embeddings": 64, "projection_size": 16,
                "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2,
            },
            vision_config={**small, "image_size": side, "patch_size": 16},
        )  # fmt: skip
    transformers.SiglipModel(config).save_pretrained(folder)
    transformers.SiglipImageProcessorPil(size={"height": side, "width": side}).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _florence(folder: Path, full: bool) -> None:
    tokenizer = _bytes()
    tokenizer.add_special_tokens(["<image>"])
    tokenizer.add_tokens([f"<loc_{number}>" for number in range(1000)])
    tokenizer.add_tokens(["<od>", "</od>"])
    wrapped = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>",
        extra_special_tokens={"image_token": "<image>"},
    )  # fmt: skip
    size = len(wrapped)
    ends: dict[str, Any] = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "forced_eos_token_id": 2}
    ends["decoder_start_token_id"] = ends["eos_token_id"]
    if full:
        text = transformers.BartConfig(
            vocab_size=51290, d_model=768, encoder_layers=6, decoder_layers=6, encoder_ffn_dim=3072,
            decoder_ffn_dim=3072, encoder_attention_heads=12, decoder_attention_heads=12,
            max_position_embeddings=4096, **ends,
        )  # fmt: skip
        vision: dict[str, Any] = {"projection_dim": 768}
        side, tokens = 768, 577
    else:
        text = transformers.BartConfig(
            vocab_size=size, d_model=16, encoder_layers=1, decoder_layers=1, encoder_ffn_dim=16, decoder_ffn_dim=16,
            encoder_attention_heads=2, decoder_attention_heads=2, max_position_embeddings=256, **ends,
        )  # fmt: skip
        vision = {
            "embed_dim": [8, 8, 8, 16], "depths": [1, 1, 1, 1], "num_heads": [1, 1, 1, 1], "num_groups": [1, 1, 1, 1],
            "window_size": 2, "projection_dim": 16,
        }  # fmt: skip
        side, tokens = 64, 5
    image_id: Any = wrapped.convert_tokens_to_ids("<image>")
    config = transformers.Florence2Config(text_config=text, vision_config=vision, image_token_id=image_id)
    transformers.Florence2ForConditionalGeneration(config).save_pretrained(folder)
    image_processor: Any = transformers.CLIPImageProcessorPil(
        size={"height": side, "width": side}, do_center_crop=False, resample=3
    )
    image_processor.image_seq_length = tokens
    transformers.Florence2Processor(image_processor, wrapped).save_pretrained(folder)


KINDS: dict[str, Callable[[Path, bool], None]] = {
    "grounding-dino": _grounding_dino,
    "mm-grounding-dino": _mm_grounding_dino,
    "depth-anything-metric": _depth_anything,
    "depth-anything-relative": _depth_anything_relative,
    "sam": _sam,
    "siglip": _siglip,
    "florence2": _florence,
}
