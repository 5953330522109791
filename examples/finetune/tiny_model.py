"""Make a tiny LLaVA with random weights, to try the recipe on a CPU without a download.

python examples/finetune/tiny_model.py FOLDER
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as ByteDecoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from transformers import (
    CLIPImageProcessor,
    CLIPVisionConfig,
    LlamaConfig,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
    PreTrainedTokenizerFast,
)

SPECIAL = ("<unk>", "<s>", "</s>", "<pad>", "<image>")
SIDE_PX, PATCH_PX = 56, 28
"""A picture becomes four tokens."""


def make_tokenizer() -> PreTrainedTokenizerFast:
    """A tokenizer whose tokens are bytes."""
    letters = sorted(ByteLevel.alphabet())
    model = BPE(vocab={text: place for place, text in enumerate((*SPECIAL, *letters))}, merges=[], unk_token="<unk>")
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    tokenizer.decoder = ByteDecoder()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        additional_special_tokens=["<image>"],
        model_max_length=4096,
    )


def make_model(folder: Path) -> None:
    """Write model, tokenizer and image processor, the same at each call."""
    torch.manual_seed(0)
    tokenizer = make_tokenizer()
    sizes: dict[str, Any] = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
    }
    config = LlavaConfig(
        vision_config=CLIPVisionConfig(**sizes, image_size=SIDE_PX, patch_size=PATCH_PX, projection_dim=32),
        text_config=LlamaConfig(
            **sizes,
            vocab_size=len(tokenizer),
            max_position_embeddings=4096,
            bos_token_id=SPECIAL.index("<s>"),
            eos_token_id=SPECIAL.index("</s>"),
            pad_token_id=SPECIAL.index("<pad>"),
        ),
        image_token_index=SPECIAL.index("<image>"),
    )
    LlavaForConditionalGeneration(config).save_pretrained(folder)
    side = {"height": SIDE_PX, "width": SIDE_PX}
    LlavaProcessor(
        image_processor=CLIPImageProcessor(size={"shortest_edge": SIDE_PX}, crop_size=side),
        tokenizer=tokenizer,
        patch_size=PATCH_PX,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
    ).save_pretrained(folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    make_model(parser.parse_args().folder)
