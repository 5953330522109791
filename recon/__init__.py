"""Video to 3D: decode, sample, reconstruct, merge and stand a room tour upright.

`recon.reconstruct` is imported when it is first used, so that nobody waits for COLMAP who reads records only.
"""

from __future__ import annotations

import recon.telemetry  # noqa: F401

# isort: split
import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recon.reconstruct import reconstruct as reconstruct


class _Package(ModuleType):
    """This package, in which the function `reconstruct` goes before the module of that name.

    Importing a module binds its name in its package; here that would replace the function.
    """

    @property
    def reconstruct(self) -> object:
        from recon.reconstruct import reconstruct

        return reconstruct

    @reconstruct.setter
    def reconstruct(self, module: ModuleType) -> None:
        """Leave the name to the function."""


sys.modules[__name__].__class__ = _Package
