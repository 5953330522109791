"""A dataset on the Hugging Face hub: the one export that leaves this machine, because it was asked to.

The token is the user's own, from `HF_TOKEN` or `hf auth login`; `huggingface_hub` reads it, and it goes nowhere else.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from roomtour.errors import RoomtourError, UsageError
from roomtour.export.formats.talks.hf_rows import CONFIGS

FORMAT = "hf"
"""The format that the hub reads."""
_REPO = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def open_hub(repo: str, format: str) -> Any:
    """The hub (`huggingface_hub.HfApi`), with the token of the user; nothing is sent yet.

    Args:
        repo: `OWNER/NAME` of a dataset.
        format: What is to be uploaded.

    Raises:
        UsageError: For a name that is none, or a format that the hub does not read.
        RoomtourError: If the client is not installed, or there is no token.
    """
    if format != FORMAT:
        raise UsageError(f"--push-to-hub takes a dataset of format {FORMAT}, not {format}")
    if not _REPO.fullmatch(repo):
        raise UsageError(f"--push-to-hub {repo}: need OWNER/NAME of a dataset on the hub")
    try:
        from huggingface_hub import HfApi, get_token
    except ImportError as error:
        raise RoomtourError(f'--push-to-hub needs huggingface_hub ({error}): pip install "roomtour[hub]"') from error
    token = get_token()
    if token is None:
        raise RoomtourError(
            f"--push-to-hub {repo}: no token of the hub here; log in with `hf auth login` or set HF_TOKEN"
        )
    return HfApi(token=token)


def push_dataset(folder: Path, repo: str, hub: Any, *, public: bool = False) -> str:
    """Upload a dataset; the shards of an earlier upload go, other files that only the hub has stay.

    Args:
        folder: An export of format `hf`.
        repo: `OWNER/NAME`, made if it is not there.
        hub: From `open_hub`.
        public: Everybody may see it; else a new repository is private, and one that is public already is refused.

    Returns:
        `private` or `public`: who sees it.

    Raises:
        RoomtourError: If the hub cannot be reached or refuses, or everybody would see what was not to be public.
    """
    try:
        hub.create_repo(repo, repo_type="dataset", private=not public, exist_ok=True)
        is_private = bool(hub.repo_info(repo, repo_type="dataset").private)
        if is_private or public:
            hub.upload_folder(
                repo_id=repo,
                folder_path=folder,
                repo_type="dataset",
                commit_message="Dataset made by roomtour",
                delete_patterns=[f"{config}/*.parquet" for config in CONFIGS],
            )
    except Exception as error:  # the client raises errors of its own, of its HTTP library and of the system
        reason = " ".join(str(error).split())[:300].rstrip(".") or type(error).__name__
        raise RoomtourError(f"--push-to-hub {repo}: {reason}. The dataset lies in {folder}") from error
    if not is_private and not public:
        raise RoomtourError(
            f"--push-to-hub {repo}: everybody can see this dataset, so nothing was uploaded; give --public if they may"
        )
    return "private" if is_private else "public"
