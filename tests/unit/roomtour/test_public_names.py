import pytest

import roomtour
import roomtour.export
import roomtour.report


def test_public_names_are_listed_and_there_when_asked_for():
    for package in (roomtour, roomtour.export, roomtour.report):
        assert set(package.__all__) <= set(dir(package))
        for name in package.__all__:
            assert getattr(package, name) is not None
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            _ = package.nothing  # type: ignore[attr-defined]
