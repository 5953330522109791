"""Runs that are made elsewhere: `roomtour import`, and `roomtour fetch` from the bucket of a job."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import tyro

from recon.numerals import count
from roomtour.cli.console import tell
from roomtour.errors import RoomtourError, UsageError


def import_(
    source: tyro.conf.Positional[Path],
    /,
    format: str = "",
    out: Path | None = None,
    detections: Path | None = None,
    keep_all: bool = False,
    perception: Literal["auto", "light", "models", "none"] = "auto",
    videos: Path | None = None,
    apart: bool = False,
    preset: str = "",
    handedness: Literal["left", "right"] = "left",
    licence: str = "unknown",
    seed: int = 0,
) -> int:
    """Make a run folder of single images, a simulator's scene or a scan, without reconstruction.

    Kinds of data are made of it with `roomtour make`. Formats: `images`, a folder of pictures, or JSONL with one image
    per line, its depth, intrinsics and things; `sprite`, the files of a simulator; `vsi`, VSI-Bench's meta files.

    Args:
        source: What the format reads.
        format: Name of the format.
        out: The run folder (with --apart that of the runs); an imported run that it holds is replaced.
        detections: Boxes of things on the images: COCO or LVIS json, or JSONL.
        keep_all: Keep images that show no place too (screenshots, paintings, products on white), where a model that
            tells them is installed.
        perception: Networks that find things, floor and depth of `images` where nobody gives them: `light`, `models`
            (large ones), `none`, or `auto`, the light ones if they are here.
        videos: Folder with the videos of `vsi` scans, each where the meta file says: 32 views of each are kept.
        apart: Make every scene of `vsi` files a run of its own, OUT/SCENE, so that an export of OUT/* splits by scene.
        preset: Camera of a simulator that no file tells: `thor-sample`. Its lengths are then assumed.
        handedness: Of the world of `sprite` files; their released sample is left-handed.
        licence: Licence of the source, which stands in every dataset made of it.
        seed: Seed of every random choice.
    """
    from roomtour.imports.records import ImportOptions
    from roomtour.imports.write import FORMATS, import_run, import_scenes

    if not format:
        raise UsageError(f"import: what is it? give --format NAME; known: {', '.join(FORMATS)}")
    if out is None:
        raise UsageError("import: no --out given: --out RUN, the folder to make; see roomtour import --help")
    options = ImportOptions(
        detections=detections,
        keep_all=keep_all,
        perception=perception,
        videos=videos,
        preset=preset,
        handedness=handedness,
        licence=licence,
        seed=seed,
    )
    if apart:
        runs = import_scenes(source, format, out, options)
        for run in runs:
            for finding in run.findings:
                tell(f"{run.path.name}: {finding}")
        things = sum(len(run.objects) for run in runs)
        tell(f"{out}: {count(len(runs), 'run')}, {count(things, 'thing')}; next: roomtour make {out}/* --data programs")
        return 0
    run = import_run(source, format, out, options)
    for finding in run.findings:
        tell(finding)
    outline = run.scene_outline
    kind = "spatial" if outline.frames else "programs"
    tell(
        f"{out}: {count(len(outline.frames), 'frame')}, {outline.registered} with a pose, "
        f"{count(len(run.objects), 'thing')}; "
        f"next: roomtour make {out} --data {kind}"
    )
    return 0


def fetch(
    job: tyro.conf.Positional[Path], names: tyro.conf.Positional[tuple[str, ...]], /, out: Path | None = None
) -> int:
    """Unpack results that a job keeps in a bucket, as run folders.

    The job was run with `--storage s3://...`; all other commands take run folders.

    Args:
        job: Folder of the job; its job.json says where the results are.
        names: Tours, as `roomtour batch status JOB` names them.
        out: Where to put them, each as OUT/NAME; JOB/runs if not given.
    """
    if not names:
        raise UsageError("fetch: no tour given: roomtour fetch JOB NAME...; see roomtour fetch --help")
    from roomtour.batch.results.object_storage import ObjectStorage
    from roomtour.batch.results.storage import is_bucket
    from roomtour.batch.status import RUNS, find_runs, read_storage

    address = read_storage(job)
    if address is None or not is_bucket(address):
        raise RoomtourError(f"{job}: keeps its results as run folders, in {find_runs(job)}")
    folder = out or job / RUNS
    folder.mkdir(parents=True, exist_ok=True)
    storage = ObjectStorage(address, job)
    for name in names:
        if Path(name).name != name:
            raise UsageError(f"fetch: {name} is no name of a tour")
        storage.fetch(name, folder / name)
        tell(f"{folder / name}")
    return 0
