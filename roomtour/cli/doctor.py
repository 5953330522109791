"""`roomtour doctor`: what of roomtour works on this machine, and what each thing that is not there would give."""

from __future__ import annotations

import importlib
import importlib.metadata
import io
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from recon.numerals import count
from roomtour.cli.console import tell
from roomtour.cli.parsing.help_text import HelpRow, render_section, terminal_width
from roomtour.drawing.text import printable
from roomtour.workers.machine import count_cores, find_version, free_memory_mb, list_gpus

EXTRAS = {
    "light": "names for things on a CPU (small networks), learned keypoints",
    "models": "large models: detection, depth, tags",
    "llm": "texts by a language model: --writer llm, collect --titles llm",
    "view": "roomtour view, the run in 3D",
    "notebooks": "the notebooks with JupyterLab, and roomtour.plots",
    "ocr": "reading what is written in the rooms",
    "programs": "running programs that language models write",
    "collect": "roomtour collect --download",
    "ray": "roomtour batch on many machines",
    "s3": "results of a job in a bucket",
    "heic": "pictures of phones in HEIC",
    "hub": "export --push-to-hub",
    "rerun": "recordings for the Rerun viewer: export --format rerun",
    "benchmark": "scores of captions",
    "timm": "image encoders of timm for roomtour3d features",
}
"""What each extra of a user gives."""
_IMPORTED = {"av": "av", "opencv-python-headless": "cv2", "pycolmap": "pycolmap"}
"""Native packages of the base by the name that they are imported under: what lies there may still not load."""
_CODECS = ("h264", "hevc", "vp9", "av1")
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(\[[^]]*\])?")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([a-z0-9-]+)['"]""")
_COLUMN = 13


def doctor() -> int:
    """Say what works on this machine, what is missing, and how to get it. Uses no network.

    Exit code 0 if videos can be processed; extras and models are by choice.
    """
    width = terminal_width()
    needs = _read_requirements()
    base = list(_check_base(needs.get("", [])))
    sections = {
        "Base": [row for row, _ in base],
        "Machine": list(_describe_machine()),
        "Extras": [row for name in EXTRAS for row in _describe_extra(name, needs.get(name, []))],
        "Models": list(_describe_models()),
    }
    for heading, rows in sections.items():
        for line in render_section(heading, rows, width, _COLUMN):
            tell(line)
    broken = sum(not is_sound for _, is_sound in base)
    tell(f"roomtour cannot work here: {count(broken, 'fault')} of the base" if broken else "roomtour works here")
    return 1 if broken else 0


def _suggest(command: str) -> HelpRow:
    """A row of its own for what to run, to be copied whole."""
    return HelpRow("", f"$ {command}")


def _read_requirements() -> dict[str, list[str]]:
    """Names of the distributions that an extra asks for, by extra; those of the base under no name."""
    needs: dict[str, list[str]] = {}
    for line in importlib.metadata.requires("roomtour") or ():
        name, extra = _REQUIREMENT.match(line), _EXTRA.search(line)
        if name is not None and name[1] != "roomtour":
            needs.setdefault(extra[1] if extra else "", []).append(name[1])
    return needs


def _check_base(names: list[str]) -> Iterator[tuple[HelpRow, bool]]:
    """Rows of the base, and whether each is as it should be."""
    versions = {name: find_version(name) for name in names}
    missing = [name for name, version in versions.items() if version is None]
    system = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    yield HelpRow("ok", f"roomtour {find_version('roomtour')}, {system}"), True
    yield HelpRow("ok", ", ".join(f"{name} {version}" for name, version in versions.items() if version)), True
    if missing:
        yield HelpRow("missing", f"{', '.join(missing)}, which everything needs"), False
        yield _suggest("pip install --force-reinstall roomtour"), True
    for name, module in _IMPORTED.items():
        try:
            importlib.import_module(module)
        except Exception as error:  # a broken wheel raises whatever it likes
            if name not in missing:
                why = printable(str(error).partition("\n")[0])
                yield HelpRow("broken", f"{name} does not load: {why}"), False
                yield _suggest(f"pip install --force-reinstall {name}"), True
    if "av" in sys.modules:
        yield _check_decoding()


def _check_decoding() -> tuple[HelpRow, bool]:
    """Encode a picture in memory and decode it; nothing of a system's FFmpeg is used."""
    import av

    file = io.BytesIO()
    try:
        with av.open(file, "w", format="mp4") as out:
            stream = out.add_stream("mpeg4", rate=10)
            stream.width, stream.height, stream.pix_fmt, stream.time_base = 64, 48, "yuv420p", Fraction(1, 10)
            out.mux([*stream.encode(av.VideoFrame(64, 48, "yuv420p")), *stream.encode(None)])
        file.seek(0)
        with av.open(file, "r") as container:
            next(container.decode(video=0))
    except Exception as error:  # as above; StopIteration where no frame came back
        return HelpRow("broken", f"video decoding: {type(error).__name__} {printable(str(error))}".rstrip()), False
    here = ", ".join(name for name in _CODECS if name in av.codecs_available)
    return HelpRow("ok", f"video decoding without an installed FFmpeg: {here}"), True


def _describe_machine() -> Iterator[HelpRow]:
    yield HelpRow("cores", f"{count_cores()}")
    yield HelpRow("memory", f"{free_memory_mb() / 1000:.1f} GB free; a tour takes 0.7 GB and 2 MB per second of it")
    free = shutil.disk_usage(Path.cwd()).free / 1e9
    yield HelpRow("disk", f"{free:.1f} GB free in {Path.cwd()}; a run folder takes 1.7 MB per second of tour")
    yield HelpRow("GPU", _describe_gpu())


def _describe_gpu() -> str:
    gpus = len(list_gpus())
    if not gpus:
        return "none; all but large models is made for CPUs"
    if find_version("torch") is None:
        return f'{count(gpus, "NVIDIA GPU")}, unused without torch: pip install "roomtour[models]"'
    import torch

    can = "for large models" if torch.cuda.is_available() else "which this build of torch cannot use"
    return f"{count(gpus, 'NVIDIA GPU')}, {can}"


def _describe_extra(name: str, needs: list[str]) -> Iterator[HelpRow]:
    versions = {need: find_version(need) for need in needs}
    missing = [need for need, version in versions.items() if version is None]
    if not missing:
        yield HelpRow(name, f"ok: {', '.join(f'{need} {version}' for need, version in versions.items())}")
        return
    lack = "missing" if len(missing) == len(needs) else f"missing {', '.join(missing)}"
    yield HelpRow(name, f"{lack}: {EXTRAS[name]}")
    yield _suggest(f'pip install "roomtour[{name}]"')


def _describe_models() -> Iterator[HelpRow]:
    """Which weights lie on this machine, and where; what was fetched half is told by `roomtour models check`."""
    from instructions.perception.models.light.folder import PULL, light_folder
    from instructions.perception.models.light.pins import LIGHT_FILES
    from instructions.perception.models.options import VisionOptions
    from instructions.perception.models.weights import find_cached_folder

    folder = light_folder(None)
    missing = [file for file in LIGHT_FILES if not (folder / file.path).is_file()]
    here = f"{len(LIGHT_FILES) - len(missing)} of {len(LIGHT_FILES)} files in {folder}"
    gives = "names for things, learned keypoints, homes of a collection"
    yield HelpRow("light", f"{here}: {gives}" if missing else f"ok: {here}")
    if missing:
        yield _suggest(PULL)
    chosen = VisionOptions().chosen()
    if find_version("huggingface_hub") is None:
        yield HelpRow("large", f"{count(len(chosen), 'model')}, which need the extra models")
        return
    places = [(ability, choice.model, find_cached_folder(choice)) for ability, choice in chosen.items()]
    for ability, model, place in places:
        yield HelpRow(ability, f"{model}: {f'ok: {place}' if place else 'not here'}")
    if any(place is None for _, _, place in places):
        yield _suggest("roomtour models pull")
