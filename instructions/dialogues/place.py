"""A view, walk, cloud or picture with everything that a row about it carries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from instructions.dialogues.records import Cloud, Dialogue, Evidence, Medium, TalkBox, TalkKind, TaskTruth, Turn
from instructions.dialogues.talk_view import TalkView
from instructions.dialogues.tour import TalkTour
from instructions.rows import row_id
from recon.records import Frame, SceneModel


@dataclass(frozen=True, eq=False)
class Place:
    """A view or cloud with everything that a row of it carries."""

    tour: TalkTour
    model: SceneModel | None
    """None for a picture without a pose."""
    perception: str
    view: TalkView | None = None
    cloud: Cloud | None = None
    walk: tuple[TalkView, ...] = ()
    frame: Frame | None = None
    """A picture of which only annotations are told; it needs no pose."""

    @property
    def key(self) -> str:
        """Names it among the tour's; every random choice hangs on it."""
        if self.cloud is not None:
            return f"cloud {self.cloud.name}"
        return f"{self.medium} {' '.join(str(frame) for frame in self.frames)}"

    @property
    def frames(self) -> tuple[int, ...]:
        """In time order; none for a cloud."""
        if self.frame is not None:
            return (self.frame.index,)
        return tuple(one.frame for one in (self.walk or ((self.view,) if self.view else ())))

    @property
    def medium(self) -> Medium:
        """What a model is shown."""
        return "views" if self.walk else "view" if self.view or self.frame else "cloud"

    @property
    def size_px(self) -> tuple[int, int] | None:
        """Width and height of the frame, or of the first one."""
        if self.frame is not None:
            return self.frame.width, self.frame.height
        view = self.walk[0] if self.walk else self.view
        return view.size if view else None

    def row(
        self, kind: TalkKind, about: str, turns: Sequence[Turn], evidence: Sequence[Evidence], boxes: Sequence[TalkBox],
        templates: Sequence[str], *, task: str | None = None, truth: TaskTruth | None = None, licence: str = "",
        group: str | None = None,
    ) -> Dialogue:  # fmt: skip
        """One accepted row."""
        scene, model = self.tour.scene, self.model.name if self.model else ""
        name = row_id(scene.id, self.key, kind, task or "", about)
        return Dialogue(
            id=f"{scene.id}_m{model}_d{name}", tour=scene.id, model=model, views=self.frames,
            scale_status=self.model.scale.status if self.model else "relative", perception=self.perception,
            writer="embedded", seed=self.tour.seed, accepted=True, kind=kind, task=task, medium=self.medium,
            cloud=self.cloud.name if self.cloud else None, turns=tuple(turns), evidence=tuple(evidence),
            boxes=tuple(boxes), truth=truth, templates=tuple(templates), text_licence=licence, size_px=self.size_px,
            group=group,
        )  # fmt: skip
