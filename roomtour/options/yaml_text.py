"""Reads YAML, of which `yaml.safe_load` would silently keep the last of two values under one key."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import yaml


class _Loader(yaml.SafeLoader):
    """Refuses a mapping that has a key twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Called by the base class for every mapping."""
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue  # `<<`, what an explicit key replaces
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                continue  # the base class refuses it
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r} is given twice", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


def read_yaml(text: str) -> Any:
    """The values in a YAML text.

    Raises:
        yaml.YAMLError: If it is no YAML, or a mapping has a key twice.
        RecursionError: If it is nested too deeply.
    """
    return yaml.load(text, _Loader)  # a safe loader
