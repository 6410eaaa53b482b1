"""Put what a report says into words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from ..checker import Message, Said
from ..kata.catalogue import find
from ..kata.slips import slips
from .cells import located, told
from .plurals import filled

if TYPE_CHECKING:
    from ..checker import Report

__all__ = ["MISTAKE", "forms", "headline", "sentence", "spelt", "worded"]

# The message that a mistake of a kata's `mistakes.toml` is, by `kata` and `id`.
MISTAKE = "slip"
_COMMA = {"en": ", ", "zh": "，"}
# Chinese has a comma of its own between things; these values hold what is said of them.
_BETWEEN_THINGS = {"en": ", ", "zh": "、"}
_CLAUSES = {"parts", "shapes"}


@cache
def forms() -> dict[str, dict[str, str]]:
    """Return every sentence by key and language."""
    from .cases import CASES
    from .checks import CHECKS
    from .crashes import CRASHES
    from .ends import ENDS
    from .files import FILES
    from .mistakes import MISTAKES
    from .refusals import REFUSALS
    from .remarks import REMARKS
    from .torch_words import TORCH_WORDS

    return {
        **FILES, **REFUSALS, **ENDS, **CHECKS, **CASES, **CRASHES, **TORCH_WORDS, **MISTAKES,
        **REMARKS,
    }  # fmt: skip


def sentence(said: Said, language: str) -> str:
    """Return a message in words; a notebook's line is told by its cell."""
    if isinstance(said, str):
        return said
    if said.key == MISTAKE:
        return _mistake(said.values["kata"], said.values["id"], language)
    return filled(forms()[said.key][language], **spelt(said.values, language))


def headline(said: Said, language: str) -> str:
    """Return a message's first line; later ones quote the code."""
    return sentence(said, language).partition("\n")[0]


def spelt(values: Mapping[str, Any], language: str) -> dict[str, Any]:
    """Return what stands in a sentence in words, messages and lines with it."""
    return {name: _value(name, value, language) for name, value in values.items()}


def _value(name: str, value: Any, language: str) -> Any:
    if isinstance(value, list):
        many: Sequence[Said] = value
        comma = _COMMA if name in _CLAUSES else _BETWEEN_THINGS
        return comma[language].join(sentence(one, language) for one in many)
    if isinstance(value, Message):
        return sentence(value, language)
    return told(value, language) if name == "line" else value


def _mistake(kata: str, ident: str, language: str) -> str:
    rows = slips(find(kata).folder)
    # What was kept may speak of one that is no longer there.
    return next((row.words[language] for row in rows if row.id == ident), ident)


def worded(report: Report, language: str) -> Report:
    """Return a report with words in the place of every message."""
    with located(report.cells):
        made: Report = _worded(report, language)
    return made


def _worded(value: Any, language: str) -> Any:
    if isinstance(value, Message):
        return sentence(value, language)
    if isinstance(value, list):
        many: list[Any] = value
        return [_worded(one, language) for one in many]
    if is_dataclass(value) and not isinstance(value, type):
        held = {one.name: _worded(getattr(value, one.name), language) for one in fields(value)}
        return replace(value, **held)
    return value
