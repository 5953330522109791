"""The live viewer: the scene, a panel to walk through it, and what is known of the frame one stands at.

viser's server is kept to this machine: loopback only, only for pages it served itself, and nothing is ever shared.
"""

from __future__ import annotations

import contextlib
import io
import logging
import threading
import time

import numpy as np
import viser
from viser import infra
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from recon.geometry import Pose
from roomtour.drawing.pages import render
from roomtour.drawing.text import printable
from roomtour.view.card import FramePictures, draw_card
from roomtour.view.layers import LAYERS, ModelLayers, quat_wxyz
from roomtour.view.ports import HOST, is_own_origin
from roomtour.view.tour import TourView, ViewModel


class _Departures(logging.Filter):
    """Leaves out of a log what says only that a browser went away before it had its answer."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        return not isinstance(error, (ConnectionClosed, ConnectionError, InvalidHandshake))


_DEPARTURES = _Departures()


class LoopbackServer(viser.ViserServer):
    """A viser server that only pages from its own address can talk to.

    viser itself takes a web socket from any page that the browser has open, so that any web site could read the frames
    of a home; here such a connection is closed before anything is sent. Its offer to publish the scene through a server
    of its makers is taken away.
    """

    def __init__(self, port: int, label: str) -> None:
        with contextlib.redirect_stdout(io.StringIO()):  # viser prints a table of addresses; the command prints ours
            super().__init__(host=HOST, port=port, label=label, verbose=False)
        logging.getLogger("websockets.server").addFilter(_DEPARTURES)
        self._websock_server.on_client_connect(self._refuse_strangers)

    @property
    def address(self) -> str:
        """What to open in the browser."""
        return f"http://{HOST}:{self.get_port()}"

    def stop(self) -> None:
        """Close every connection and free the port."""
        with contextlib.redirect_stdout(io.StringIO()):
            super().stop()

    def request_share_url(self, verbose: bool = True) -> str | None:
        """Never: frames of a home do not leave the machine."""
        return None

    async def _refuse_strangers(self, client: infra.WebsockClientConnection) -> None:
        connection = self._websock_server._live_connections[client.client_id]
        origin = connection.request.headers.get("Origin") if connection.request is not None else None
        if not is_own_origin(origin, self.get_port()):
            await connection.close(1008, "only pages of this viewer may connect")


SPEEDS = ("1x", "2x", "4x", "8x")
CARD_PX, FRUSTUM_PX, THUMBNAIL_PX = 480, 240, 128
NEIGHBOURS = 24
"""Cameras around the present one that can show their pictures."""
_TICK_S = 0.1


class LiveViewer:
    """Shows one tour in the browser for as long as the process lives."""

    def __init__(self, tour: TourView, model: ViewModel | None, port: int, dark: bool = False) -> None:
        """Start serving.

        Without a model only the frames are shown.
        """
        self._tour = tour
        self._model = model
        self._pictures = FramePictures(tour.frames, tour.frames_dir)
        self._layers: ModelLayers | None = None
        self._here: viser.CameraFrustumHandle | None = None
        self._neighbours: dict[int, viser.CameraFrustumHandle] = {}
        self._shown_frame: int | None = None
        self._playing = False
        self._changing = threading.RLock()
        """One change of the page at a time: viser calls back on several threads."""
        self._server = LoopbackServer(port, label=printable(tour.name))
        self._set_theme(dark)
        self._server.gui.main_panel.dock_right()
        self._build_panel(dark)
        self._enter_model()
        self._server.scene.on_click()(self._click)

    @property
    def address(self) -> str:
        """What to open in the browser."""
        return self._server.address

    @property
    def shown_frame(self) -> int | None:
        """The frame one stands at; None for a tour without frames."""
        return self._shown_frame

    def serve(self, ended: threading.Event) -> None:
        """Move the walk on while it is played, until `ended` is set or the process is interrupted."""
        before = time.monotonic()
        while not ended.wait(_TICK_S):
            now = time.monotonic()
            if self._playing:
                self._move_on((now - before) * float(self._speed.value.removesuffix("x")))
            before = now

    def go_to(self, time_s: float) -> None:
        """Show the frame nearest to a time of the tour."""
        with self._changing:
            self._time_s.value = time_s
            self._show_moment()

    def stop(self) -> None:
        """Close every connection and free the port."""
        self._server.stop()

    def _build_panel(self, dark: bool) -> None:
        gui = self._server.gui
        self._facts = gui.add_html("")
        if len(self._tour.models) > 1 and self._model is not None:
            names = [model.name for model in self._tour.models]
            choice = gui.add_dropdown("Model", names, initial_value=self._model.name)
            choice.on_update(lambda _: self._choose_model(choice.value))
        self._time_s = gui.add_slider("Time (s)", min=0.0, max=0.1, step=0.1, initial_value=0.0)
        self._time_s.on_update(lambda _: self._show_moment())
        self._play = gui.add_button("Play the walk", icon=viser.Icon.PLAYER_PLAY)
        self._play.on_click(lambda _: self._set_playing(not self._playing))
        self._speed = gui.add_button_group("Speed", SPEEDS)
        with gui.add_folder("Show", expand_by_default=False, visible=self._model is not None):
            self._toggles = {layer: gui.add_checkbox(title, shown) for layer, title, shown in LAYERS}
            self._thumbnails = gui.add_checkbox("Pictures in the cameras around", initial_value=False)
            self._follow = gui.add_checkbox("Look through the camera", initial_value=False)
            ground = gui.add_checkbox("Dark ground", initial_value=dark)
        self._card = gui.add_html("")
        ground.on_update(lambda _: self._set_theme(ground.value))
        for toggle in self._toggles.values():
            toggle.on_update(lambda _: self._apply_toggles())
        for option in (self._thumbnails, self._follow):
            option.on_update(lambda _: self._show_moment(again=True))

    def _set_theme(self, dark: bool) -> None:
        self._server.gui.configure_theme(
            dark_mode=dark, control_width="large", show_logo=False, show_share_button=False
        )

    def _choose_model(self, name: str) -> None:
        self._model = self._tour.model(name)
        self._enter_model()

    def _enter_model(self) -> None:
        """Show the chosen model from its first frame on."""
        with self._changing, self._server.atomic():
            if self._layers is not None:
                self._layers.remove()
                self._clear_neighbours()
            frames = self._model.frames if self._model is not None else tuple(self._tour.frames)
            self._walk = np.array(frames, dtype=int)
            self._walk_s = np.array([self._tour.frames[frame].time_s for frame in frames])
            self._facts.content = str(render("view/live_facts.html", tour=self._tour, model=self._model))
            if self._model is not None:
                self._layers = ModelLayers(self._server.scene, self._tour, self._model)
                self._look_from_above(self._model)
                self._apply_toggles()
            self._time_s.disabled = self._play.disabled = len(frames) < 2
            if len(frames):
                first, last = float(self._walk_s[0]), float(self._walk_s[-1])
                self._time_s.min, self._time_s.max = round(first, 1), max(round(last, 1), round(first, 1) + 0.1)
                self._time_s.value = self._time_s.min
                self._show_moment(again=True)

    def _look_from_above(self, model: ViewModel) -> None:
        position, target = model.overview
        for camera in (self._server.initial_camera, *(client.camera for client in self._server.get_clients().values())):
            camera.position, camera.look_at = position, target

    def _apply_toggles(self) -> None:
        if self._layers is not None:
            for layer, toggle in self._toggles.items():
                self._layers.show(layer, toggle.value)

    def _set_playing(self, playing: bool) -> None:
        self._playing = playing
        self._play.label = "Pause" if playing else "Play the walk"
        self._play.icon = viser.Icon.PLAYER_PAUSE if playing else viser.Icon.PLAYER_PLAY

    def _move_on(self, seconds: float) -> None:
        """Play: the slider moves by so much of the tour, and stops at its end."""
        with self._changing:
            moment = self._time_s.value + seconds
            if moment >= self._time_s.max:
                self._set_playing(False)
            self._time_s.value = min(moment, self._time_s.max)
            self._show_moment()

    def _click(self, click: viser.SceneClickEvent) -> None:
        with self._changing:
            frame = self._layers.pick(click.ray_origin, click.ray_direction) if self._layers is not None else None
            if frame is not None:
                self._set_playing(False)
                self._time_s.value = round(self._tour.frames[frame].time_s, 1)
                self._show_frame(frame)

    def _show_moment(self, again: bool = False) -> None:
        """Go to the frame nearest to the slider; a slider that is dragged calls often for the same frame."""
        with self._changing:
            frame = int(self._walk[np.abs(self._walk_s - self._time_s.value).argmin()])
            if again or frame != self._shown_frame:
                self._show_frame(frame)

    def _show_frame(self, frame: int) -> None:
        self._shown_frame = frame
        known, model = self._tour.frames[frame], self._model
        jpeg = self._pictures.jpeg(frame, CARD_PX)
        card = draw_card(self._tour, known, model, jpeg)
        self._card.content = str(render("view/live_card.html", card=card))
        if model is None or self._layers is None:
            return
        pose = model.world_from_cam[frame]
        image_rgb = self._pictures.rgb(frame, FRUSTUM_PX)
        if self._here is not None:
            self._here.remove()
        self._here = self._layers.add_camera("/here", pose, image_rgb, size=1.6)
        self._show_neighbours(int(np.searchsorted(self._walk, frame)))
        if self._follow.value:
            self._look_through(pose)

    def _show_neighbours(self, row: int) -> None:
        """Pictures in the cameras around the present one, if they are wanted; read when they come into reach."""
        if self._layers is None or self._model is None or not self._thumbnails.value:
            self._clear_neighbours()
            return
        half = NEIGHBOURS // 2
        wanted = {int(frame) for frame in self._walk[max(row - half, 0) : row + half + 1]} - {int(self._walk[row])}
        for frame in set(self._neighbours) - wanted:
            self._neighbours.pop(frame).remove()
        for frame in wanted - set(self._neighbours):
            image_rgb = self._pictures.rgb(frame, THUMBNAIL_PX)
            pose = self._model.world_from_cam[frame]
            self._neighbours[frame] = self._layers.add_camera(f"/around/{frame}", pose, image_rgb, size=0.6)

    def _clear_neighbours(self) -> None:
        while self._neighbours:
            self._neighbours.popitem()[1].remove()

    def _look_through(self, world_from_cam: Pose) -> None:
        for client in self._server.get_clients().values():
            with client.atomic():
                client.camera.wxyz = quat_wxyz(world_from_cam)
                client.camera.position = world_from_cam.center
