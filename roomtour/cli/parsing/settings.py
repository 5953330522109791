"""One Config out of a YAML file, `--set NAME=VALUE` and flags, later ones winning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from roomtour.errors import RoomtourError, UsageError, did_you_mean
from roomtour.options.fields import Option, config_options
from roomtour.options.kinds import read_words

if TYPE_CHECKING:
    from roomtour.config import Config

T = TypeVar("T")


@dataclass
class Settings:
    """Values of options by their dotted names, and the words that said so."""

    values: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    """What to call each value in an error: `--sample.fps many`."""

    def put(self, option: Option, words: str | Sequence[str], said: str) -> None:
        """Set one option; words are one, or those of a list.

        Raises:
            UsageError: For words that are no value.
        """
        try:
            if isinstance(words, str):
                value = read_words(option.kind, words)
                is_one_of_many = option.kind.many and value is not None and not isinstance(value, list)
                self.values[option.name] = [value] if is_one_of_many else value
            elif option.kind.optional and list(words) == ["none"]:
                self.values[option.name] = None
            else:
                self.values[option.name] = [read_words(option.kind, word) for word in words]
        except ValueError as error:
            raise UsageError(f"{said}: {error}") from error
        self.sources[option.name] = said

    def apply(self, options: T, where: str) -> T:
        """A class of options with these values in place of its own.

        Raises:
            RoomtourError: For a value of the wrong type, or out of its range.
        """
        from roomtour.config import options_from_dict

        values: dict[str, Any] = {}
        self.put_into(values, where)
        return options_from_dict(options, values, where, self.sources)

    def put_into(self, values: dict[str, Any], where: str) -> None:
        """Set nested values, in place of what is there."""
        for name, value in self.values.items():
            _put(values, name.split("."), value, where)


def read_settings(words: Sequence[str]) -> Settings:
    """The values of `--set NAME=VALUE`, each a word of its own.

    Raises:
        UsageError: For a word without `=`, or a name that no option has.
    """
    known = {option.name: option for option in config_options()}
    out = Settings()
    for word in words:
        given, equals, value = word.partition("=")
        name = given.strip().replace("-", "_")
        if not equals:
            raise UsageError(f"--set {word}: need NAME=VALUE, such as --set sample.fps=5")
        if name not in known:
            raise UsageError(f"--set {word}: {_unknown(name, known)}")
        out.put(known[name], value, f"--set {word}")
    return out


def build_config(file: Path | None, *settings: Settings, base: Config | None = None) -> Config:
    """The options of a run: those of `base` (the defaults), then the file, then each of the settings.

    Raises:
        RoomtourError: For an unknown key of the file, or a value of the wrong type.
    """
    from roomtour.config import config_from_dict, read_config_file, with_underscores

    where = "command line" if file is None else f"--config {file}"
    values = {} if file is None else with_underscores(read_config_file(file), where)
    sources: dict[str, str] = {}
    for given in settings:
        given.put_into(values, where)
        sources |= given.sources
    return config_from_dict(values, where, sources, base)


def _unknown(name: str, known: Mapping[str, Option]) -> str:
    inside = [option for option in known if option.startswith(f"{name}.")]
    if inside:
        return f"{name} is a section of {len(inside)} options, such as {inside[0]}; see roomtour options '{name}.*'"
    return f"no option {name}.{did_you_mean(name, known)} See: roomtour options"


def _put(values: Any, place: Sequence[str], value: Any, where: str) -> None:
    """Set a nested value."""
    for depth, name in enumerate(place):
        if not isinstance(values, dict):
            inside = ".".join(place[:depth]) or "the top level"
            raise RoomtourError(f"{where}: {inside} must be a mapping of option names to values, got {values!r}")
        if depth + 1 == len(place):
            values[name] = value
        else:
            values = values.setdefault(name, {})
