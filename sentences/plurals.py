"""Sentences filled in, with nouns that go with their numbers: `{count} {count:check|checks}`."""

from __future__ import annotations

from string import Formatter
from typing import Any

__all__ = ["filled"]


class _Plurals(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        """Choose between two words by a number; format anything else as `str.format` does."""
        one, bar, many = format_spec.partition("|")
        if bar:
            return one if str(value) == "1" else many
        return super().format_field(value, format_spec)


def filled(sentence: str, **values: object) -> str:
    """Return a sentence with its values filled in."""
    return _Plurals().vformat(sentence, (), values)
