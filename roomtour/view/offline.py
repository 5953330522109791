"""A run as one HTML file that a browser opens anywhere: viser's scene with the walk to play, and a panel that follows.

viser embeds its client and the scene in one page, with a time slider; its live panel is not part of that. Beside it go
cards of the frames, and at each of them the recording tells the page which card to show.
"""

from __future__ import annotations

import re
from pathlib import Path

from viser import _messages

from roomtour.drawing.pages import render
from roomtour.drawing.text import printable
from roomtour.drawing.thumbnails import spread
from roomtour.errors import RoomtourError
from roomtour.view.card import FramePictures, draw_card
from roomtour.view.layers import ModelLayers, quat_wxyz
from roomtour.view.live import LoopbackServer
from roomtour.view.ports import free_port
from roomtour.view.tour import TourView, ViewModel

CARD_PX, FRUSTUM_PX, JPEG_QUALITY = 360, 200, 68
MAX_POSES = 1200
"""Steps of the camera in the recording; pictures are fewer."""
_PORT = 18080

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob: data:; "
    "worker-src blob: data:; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; connect-src data: blob:"
)
"""viser's client unpacks itself and starts workers from inside the page; whatever would leave the page is refused."""


def write_offline(tour: TourView, model: ViewModel | None, path: Path, max_frames: int) -> int:
    """Write one offline file.

    At most so many frames, evenly over the walk, get a card with their picture.

    Returns:
        Size of the file in bytes.

    Raises:
        RoomtourError: If there is no model, or the file cannot be written.
    """
    if model is None:
        raise RoomtourError(f"{tour.name}: no model to show (yet), so there is no page to write; see `roomtour show`")
    shown = spread(model.frames, max_frames)
    pictures = FramePictures(tour.frames, tour.frames_dir, quality=JPEG_QUALITY)
    page = _add_panel(_record(tour, model, shown, pictures), tour, model, shown, pictures)
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise RoomtourError(f"--html {path}: cannot be written: {error.strerror or error}") from error
    return path.stat().st_size


def _record(tour: TourView, model: ViewModel, shown: list[int], pictures: FramePictures) -> str:
    """Viser's page with the scene, and a camera that walks through it in the time of the tour."""
    server = LoopbackServer(free_port(_PORT), label=printable(tour.name))
    try:
        layers = ModelLayers(server.scene, tour, model)
        server.initial_camera.position, server.initial_camera.look_at = model.overview
        first = model.frames[0]
        here = layers.add_camera("/here", model.world_from_cam[first], pictures.rgb(first, FRUSTUM_PX), size=1.6)
        recording = server.get_scene_serializer()
        before_s = tour.frames[first].time_s
        for frame in sorted({*spread(model.frames, MAX_POSES), *shown}):
            recording.insert_sleep(max(tour.frames[frame].time_s - before_s, 0.0))
            before_s = tour.frames[frame].time_s
            pose = model.world_from_cam[frame]
            with server.atomic():
                here.wxyz, here.position = quat_wxyz(pose), pose.center
                if frame in shown:
                    here.image = pictures.rgb(frame, FRUSTUM_PX)
                    _call_page(server, f"roomtourShow({int(frame)})")
        recording.insert_sleep(1.0)
        return recording.as_html()
    finally:
        server.stop()


def _call_page(server: LoopbackServer, script: str) -> None:
    """Let the recording run a script of the page at this moment: the message by which viser loads its own libraries."""
    server._websock_server.queue_message(_messages.RunJavascriptMessage(source=f"window.{script}"))


def _add_panel(page: str, tour: TourView, model: ViewModel, shown: list[int], pictures: FramePictures) -> str:
    """Our parts in viser's page: a policy that keeps it from asking any host, its title, the style, and the panel."""
    head = str(render("view/offline_head.html", csp=_POLICY, tour=tour))
    panel = render(
        "view/offline_panel.html",
        tour=tour,
        model=model,
        others=[other.name for other in tour.models if other is not model],
        cards=[
            (tour.frames[frame], draw_card(tour, tour.frames[frame], model, pictures.jpeg(frame, CARD_PX)))
            for frame in shown
        ],
    )
    page = _replace_once(page, "<title>Viser</title>", "")
    page = _replace_once(page, '<meta charset="utf-8" />', '<meta charset="utf-8" />' + head)
    dark = 'matchMedia("(prefers-color-scheme: dark)").matches'
    page = _replace_once(page, "{darkMode:false}", f"{{darkMode:{dark}}}")
    body = re.search(r"<body[^>]*>", page)
    if body is None:
        raise RoomtourError("viser's page has no body; this version of viser is not known")
    return page[: body.end()] + str(panel) + page[body.end() :]


def _replace_once(page: str, old: str, new: str) -> str:
    if page.count(old) != 1:
        raise RoomtourError(f"viser's page holds {old!r} {page.count(old)} times, need once: unsupported version")
    return page.replace(old, new)
