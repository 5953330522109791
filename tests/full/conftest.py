"""A browser for the pages that the application writes and serves."""

from tests.support.browser import browser, browser_page

__all__ = ["browser", "browser_page"]
