"""Fixtures of the application's tests."""

from tests.roomtour.browser_fixture import browser, browser_page

__all__ = ["browser", "browser_page"]
