"""Where the weights are: a local folder or the Hugging Face cache. Nothing is downloaded except by `pull`."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from instructions.errors import InstructionError
from instructions.perception.models.catalog import MODEL_TYPES, Ability, KnownModel, find_known_model
from instructions.perception.models.light.pins import hash_file, hash_unchanged_file
from instructions.perception.models.options import ModelChoice

FILES = ("*.json", "*.txt", "*.model", "model*.safetensors")
"""What of a repository is fetched: no pickled weights, no code."""
_CONFIG, _WEIGHTS, _INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
_PROCESSORS = ("preprocessor_config.json", "processor_config.json")
INSTALL = 'pip install "roomtour[models]"'


@dataclass(frozen=True)
class LocalModel:
    """A complete model on this machine."""

    name: str
    """Id on the hub, or the name of the folder."""
    revision: str
    """Commit of the hub, or `local-` and a digest of the folder's content."""
    path: Path

    @property
    def source(self) -> str:
        """How rows name it: `name@revision`."""
        return f"{self.name}@{self.revision[:12] if not self.revision.startswith('local-') else self.revision}"


def find_model(ability: Ability, choice: ModelChoice) -> LocalModel:
    """Find a model without asking the network. One of the catalogue is sought at the commit it is pinned to.

    Raises:
        InstructionError: If it is not on this machine, incomplete, pickled, or not of a kind this ability can run.
    """
    folder = find_cached_folder(choice)
    asked = f"--vision.{ability}.model {choice.model}{_at(choice)}"
    if folder is None:
        raise InstructionError(
            f"{asked}: not in the Hugging Face cache. Fetch it with `roomtour models pull`, or name a local folder"
        )
    problem = what_is_wrong(ability, folder)
    if problem:
        raise InstructionError(f"{asked}: {folder} {problem}")
    if _is_local(choice):
        return LocalModel(folder.resolve().name, f"local-{_digest(folder)}", folder)
    return LocalModel(choice.model, folder.name, folder)


def find_cached_folder(choice: ModelChoice) -> Path | None:
    """Where a model lies on this machine, complete or not: the local folder named, or a snapshot in the cache."""
    if _is_local(choice):
        return Path(choice.model).expanduser()
    hub = _hub()
    try:
        return Path(hub.snapshot_download(choice.model, revision=_revision(choice), local_files_only=True))
    except (OSError, ValueError, hub.errors.HFValidationError):
        return None


def what_is_wrong(ability: Ability, folder: Path) -> str | None:
    """What keeps a folder from being a model of this ability, None if nothing does."""
    config = _json(folder / _CONFIG)
    if config is None:
        return f"has no readable {_CONFIG}"
    kind, wanted = config.get("model_type"), MODEL_TYPES[ability]
    if kind not in wanted:
        return f"is a model of type {kind!r}, need {' or '.join(wanted)}"
    if not any((folder / name).is_file() for name in _PROCESSORS):
        return f"has no {_PROCESSORS[0]}"
    if (folder / _INDEX).is_file():
        shards = set((_json(folder / _INDEX) or {}).get("weight_map", {}).values())
        missing = sorted(str(name) for name in shards if not (folder / str(name)).is_file())
        return f"lacks {len(missing)} of {len(shards)} weight files, such as {missing[0]}" if missing else None
    if not (folder / _WEIGHTS).is_file():
        pickled = any(folder.glob("*.bin"))
        return f"has no {_WEIGHTS}" + ("; pickled weights are never loaded" if pickled else "")
    return None


def depth_kind(local: LocalModel) -> str:
    """`metric` or `relative`: what a depth model says it estimates."""
    return str((_json(local.path / _CONFIG) or {}).get("depth_estimation_type", "relative"))


def size_on_disk_mb(folder: Path) -> float:
    """Size of the weight files in megabytes (10^6 bytes)."""
    return sum(path.stat().st_size for path in folder.glob("model*.safetensors")) / 1e6


def pull(choice: ModelChoice) -> Path:
    """Download one model into the Hugging Face cache and check it; what is there already is not fetched again.

    A model of the catalogue comes at the commit it is pinned to, unless the choice names another revision.

    Raises:
        InstructionError: If the hub cannot be reached or does not have it, or what came is not what is pinned.
    """
    hub = _hub()
    try:
        folder = Path(hub.snapshot_download(choice.model, revision=_revision(choice), allow_patterns=list(FILES)))
    except (OSError, ValueError, hub.errors.HfHubHTTPError, hub.errors.HFValidationError) as error:
        reason = " ".join(str(error).split())[:300]
        raise InstructionError(f"{choice.model}{_at(choice)}: cannot be fetched: {reason}") from error
    require_pinned(choice, folder)
    return folder


def require_pinned(choice: ModelChoice, folder: Path) -> None:
    """Refuse weights that are not those the catalogue pins; reads the whole file. Models without a pin pass.

    Raises:
        InstructionError: Naming the file, both digests and how to get it again.
    """
    known = find_pin(choice)
    weights = folder / _WEIGHTS
    if known is None or not weights.is_file():
        return
    digest = hash_file(weights)
    if digest != known.sha256:
        raise InstructionError(
            f"{choice.model}: {weights} has sha256 {digest[:12]}..., {known.sha256[:12]}... is pinned: damaged or "
            "replaced. Delete the file it links to and fetch it again with `roomtour models pull`"
        )


def find_pin(choice: ModelChoice) -> KnownModel | None:
    """The entry of the catalogue that says what this choice must hold; None for a local folder, a model that is not in
    the catalogue, or another revision of one.
    """
    known = None if _is_local(choice) else find_known_model(choice.model)
    return known if known and choice.revision in (None, known.revision) else None


def _revision(choice: ModelChoice) -> str | None:
    known = find_pin(choice)
    return known.revision if known else choice.revision


def _is_local(choice: ModelChoice) -> bool:
    return Path(choice.model).expanduser().is_dir()


def _hub() -> Any:
    try:
        import huggingface_hub
        import huggingface_hub.errors
    except ImportError as error:
        raise InstructionError(f"learned models need the extra packages: {INSTALL}") from error
    return huggingface_hub


def _at(choice: ModelChoice) -> str:
    revision = _revision(choice)
    return f" at revision {revision[:12]}" if revision else ""


def _json(path: Path) -> dict[str, Any] | None:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _digest(folder: Path) -> str:
    """Of names and bytes."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.iterdir() if path.is_file() and path.suffix != ".md"):
        digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
        digest.update(bytes.fromhex(hash_unchanged_file(path)))
    return digest.hexdigest()[:12]
