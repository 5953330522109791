"""What was left out while images were read, and the findings that tell it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from recon.findings import Finding


@dataclass(eq=False)
class Outcome:
    """Filled while images are read."""

    images: int = 0
    """That were kept."""
    models: int = 0
    is_filtered: bool = True
    """Whether anything could tell photos from the rest, or was asked not to."""
    no_photos: list[str] = field(default_factory=list)
    without_depth: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Images, by why nothing tells how far what they show is."""
    floor_only: int = 0
    """Whose learned depth contradicts the floor, so that only the floor and what stands on it have depth."""
    assumed_lens: int = 0
    """Whose focal length nothing tells."""
    is_looked_at: bool = False
    """Whether networks looked at the images."""
    not_upright: int = 0
    detections: int = 0
    unknown_images: list[str] = field(default_factory=list)
    """That a file of boxes tells things of, and that are not among the images."""
    things_left_out: Counter[str] = field(default_factory=Counter)
    """Things, by reason."""

    def findings(self, tour: str) -> Iterator[Finding]:
        """What a user should know."""
        told: list[tuple[object, Literal["info", "warning"], str, str]] = [
            (
                not self.is_filtered, "info", "import.not_filtered",
                f"all {self.images} images were kept, screenshots and paintings too: no model that compares pictures "
                "with words is on this machine (roomtour models pull)",
            ),
            (
                self.no_photos, "warning", "import.no_photo",
                f"{len(self.no_photos)} images look like no photo of a place and were left out "
                f"({_some(self.no_photos)}); keep them with --keep-all",
            ),
            (
                not self.is_looked_at, "info", "import.not_looked_at",
                "no networks looked at the images: with the light models (roomtour models pull light) things, floor "
                "and depth are found where nobody gives them",
            ),
            *(
                (
                    True, "warning", "import.no_depth",
                    f"{len(names)} of {self.images} images have no depth ({_some(names)}): {why}. They are asked about "
                    "as pictures only; depth in images.jsonl adds what is nearer, behind, higher, larger, and "
                    "distances",
                )
                for why, names in self.without_depth.items()
            ),
            (
                self.floor_only, "info", "import.floor_only",
                f"in {self.floor_only} of {self.images} images learned depth contradicts the floor, or there is none: "
                "only the floor and what stands on it have depth",
            ),
            (
                self.assumed_lens, "info", "import.lens_assumed",
                f"the focal length of {self.assumed_lens} of {self.images} images is assumed (28 mm on 35 mm film, 15 "
                "%): their EXIF tells none; give fx or fov_deg in images.jsonl",
            ),
            (
                self.not_upright, "info", "import.not_upright",
                f"{self.not_upright} of {self.models} images show too little ground to tell what is up (5 % of the "
                "pixels, on one plane), so nothing is asked about heights there; give masks of the ground",
            ),
            (
                not self.detections, "warning", "import.no_things",
                "no image has things; give them, or --detections FILE",
            ),
            (
                self.unknown_images, "warning", "import.unknown_images",
                f"--detections tells things of {len(self.unknown_images)} images that are not there "
                f"({_some(self.unknown_images)}); images go by their path as given or by their file name",
            ),
            *(
                (count, "warning", "import.left_out", f"{count} things left out: {reason}")
                for reason, count in self.things_left_out.items()
            ),
        ]  # fmt: skip
        return (Finding(severity, code, tour, text) for is_so, severity, code, text in told if is_so)


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
