r"""Draw docs/images/step_*.png from two finished runs: what each step of the pipeline makes.

    pip install -e ".[dev,notebooks]"
    roomtour process examples/apartment.mp4 --out runs/apartment --keep all
    roomtour process examples/apartment.mp4 --out runs/pieces --sample.until-s 20 \
        --clips.length-s 8 --clips.overlap-s 3 --keep all
    python docs/make_pictures.py runs/apartment runs/pieces

Parts of the report are photographed in chromium; the rest is drawn with roomtour.plots.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

import roomtour
from roomtour import plots
from roomtour.files.models import read_sub_models
from roomtour.report.index.page import write_index

_PARTS = {
    "timeline": "#timeline",
    "map": ".map-figure",
    "instruction": ".instruction >> nth=2",
    "findings": "#findings",
}
"""Parts of the report by the name of their picture."""
_WIDTH_PX, _WIDE_PX = 900, 1280
_DPI = 80


def main() -> None:
    """Draw all pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("pieces", type=Path, help="a run of several clips")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "images")
    args = parser.parse_args()
    _draw(roomtour.Run(args.run), roomtour.Run(args.pieces), args.out)
    _photograph(args.run, args.pieces, args.out)


def _draw(run: roomtour.Run, pieces: roomtour.Run, out: Path) -> None:
    walk = run.trajectories[0]
    frames = run.scene.models[0].frames
    told = run.instructions[0].views
    figures = {
        "frames": plots.draw_frames(run, frames[:: max(1, len(frames) // 11)][:12]),
        "matches": plots.draw_matches(run, frames[20], frames[24]),
        "pieces": plots.draw_sub_models(read_sub_models(pieces.path / "recon" / "clips")),
        "merged": plots.draw_sub_models(read_sub_models(pieces.path / "recon" / "merged")),
        "headings": plots.draw_headings(walk),
        "decision": plots.draw_decision(run, max(walk.decisions, key=lambda each: len(each.negative_frames))),
        "objects": plots.draw_observations(run, told[len(told) // 3]),
    }
    for name, figure in figures.items():
        figure.savefig(out / f"step_{name}.png", dpi=_DPI)


def _photograph(run: Path, pieces: Path, out: Path) -> None:
    chromium = shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": _WIDTH_PX, "height": 900})
        _open(page, run / "report.html")
        for name, part in _PARTS.items():
            _shoot(page, part, out / f"step_{name}.png")
        page.set_viewport_size({"width": _WIDE_PX, "height": 900})
        _open(page, pieces / "report.html")
        _shoot(page, "#merges", out / "step_merges.png")
        index = out / "index.html"
        write_index(run.parent, index)
        _open(page, index)
        _shoot(page, "body", out / "step_index.png")
        index.unlink()
        browser.close()


def _open(page: Page, file: Path) -> None:
    page.goto(file.resolve().as_uri())
    page.add_style_tag(content="nav { position: static !important; }")  # else it lies over what is photographed


def _shoot(page: Page, part: str, path: Path) -> None:
    page.locator(part).first.screenshot(path=path)


if __name__ == "__main__":
    main()
