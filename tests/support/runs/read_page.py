"""Read a page back: elements, attributes and visible text; fails on markup that does not balance."""

from html.parser import HTMLParser

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&"
"""Text that would act if a page took it for markup."""
VOID = {"br", "hr", "img", "input", "link", "meta"}


class ReadPage(HTMLParser):
    """`elements` as (name, attributes), `text` as a reader sees it (titles of pictures included, style left out)."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self._text: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == [], f"left open: {self.open}"

    @property
    def text(self) -> str:
        return " ".join("".join(self._text).split())

    def named(self, name: str) -> list[dict[str, str]]:
        return [attributes for element, attributes in self.elements if element == name]

    def of_class(self, *wanted: str) -> list[dict[str, str]]:
        return [found for _, found in self.elements if set(wanted) <= set(found.get("class", "").split())]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice: {names}"
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            inline = {"span", "b", "strong", "code", "tspan", "q", "a", "small"}
            self._text.append(data if self.open[-1] in inline else f" {data}")


class Elements(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data
