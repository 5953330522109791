"""What goes to the hub: nothing that everybody would see unless that was said, and one line on what fails."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from roomtour.errors import RoomtourError, UsageError
from roomtour.export.push import open_hub, push_dataset


class Hub:
    """Remembers what it was asked."""

    def __init__(self, private: bool | None = None, fails: Exception | None = None):
        self.private, self.fails, self.uploads = private, fails, []

    def create_repo(self, repo_id: str, *, repo_type: str, private: bool, exist_ok: bool) -> None:
        assert (repo_type, exist_ok) == ("dataset", True)
        if self.fails is not None:
            raise self.fails
        self.private = private if self.private is None else self.private

    def repo_info(self, repo_id: str, *, repo_type: str) -> Any:
        return SimpleNamespace(private=self.private)

    def upload_folder(self, **asked: Any) -> None:
        self.uploads.append(asked)


@pytest.mark.parametrize(
    ("before", "public", "seen"),
    [(None, False, "private"), (None, True, "public"), (True, True, "private"), (False, True, "public")],
)
def test_a_dataset_is_private_unless_said_and_the_answer_is_who_sees_it(
    tmp_path: Path, before: bool | None, public: bool, seen: str
) -> None:
    hub = Hub(before)
    assert push_dataset(tmp_path, "me/home", hub, public=public) == seen
    (upload,) = hub.uploads
    assert (upload["repo_id"], upload["folder_path"]) == ("me/home", tmp_path)
    assert all(pattern.endswith("/*.parquet") for pattern in upload["delete_patterns"])  # no file of somebody else


def test_nothing_goes_where_everybody_would_see_it_unasked(tmp_path: Path) -> None:
    hub = Hub(private=False)
    with pytest.raises(RoomtourError, match="--public"):
        push_dataset(tmp_path, "me/home", hub)
    assert hub.uploads == []


@pytest.mark.parametrize("error", [ConnectionError("no route\nto host"), RuntimeError("offline"), ValueError("401")])
def test_what_the_client_raises_is_one_line(tmp_path: Path, error: Exception) -> None:
    with pytest.raises(RoomtourError) as told:
        push_dataset(tmp_path, "me/home", Hub(fails=error))
    assert "\n" not in str(told.value)
    assert str(tmp_path) in str(told.value)


@pytest.mark.parametrize(("repo", "format"), [("home", "hf"), ("a/b/c", "hf"), ("../x", "hf"), ("me/home", "tum")])
def test_what_the_hub_would_not_read_is_refused_before_anything_is_asked(repo: str, format: str) -> None:
    with pytest.raises(UsageError, match="--push-to-hub"):
        open_hub(repo, format)
