"""A refusal on the screen: what cannot be done, what is known, what to type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .text import Line, cells, pad, quoted, safe, wrap
from .words import knows, say

__all__ = ["listed", "refusal_lines"]


def refusal_lines(
    key: str,
    values: Mapping[str, object],
    notes: Sequence[tuple[str, str]],
    commands: Sequence[str],
    *,
    language: str,
    width: int,
) -> list[Line]:
    """Draw a refusal. A note's text may be the key of a sentence; values are escaped."""
    told = {
        name: listed(value, language) if isinstance(value, tuple) else str(value)
        for name, value in values.items()
    }
    clean = {name: safe(value) for name, value in told.items()}
    colon = say("colon", language)
    label = say("error", language) + colon
    head = say(key, language, **clean) if clean else say(key, language)
    rows = wrap(head, width - cells(label))
    lines: list[Line] = [[(label, "error"), (rows[0], "bold")]]
    lines += [[(" " * cells(label) + row, "bold")] for row in rows[1:]]
    named = [(say(name, language), _text(text, language, clean), "") for name, text in notes]
    names = {name: quoted(value) for name, value in told.items()}
    calls = [f"attn-kata {command.format(**names)}" for command in commands]
    typed = [(say("next", language), call, "code") for call in calls]
    labels = [name + colon for name, _, _ in (*named, *typed)]
    room = max(map(cells, labels), default=0)
    for at, (name, text, style) in enumerate((*named, *typed)):
        again = at > len(named) and name == typed[0][0]
        lead = "  " + pad("" if again else name + colon, room + 1)
        # A command is never broken: it must be there to copy.
        pieces = [text] if style else wrap(text, max(10, width - cells(lead)))
        lines.append([(lead, "dim"), (pieces[0], style)])
        lines += [[(" " * cells(lead) + piece, style)] for piece in pieces[1:]]
    return lines


def listed(names: Iterable[object], language: str) -> str:
    """Put names in a row, with the commas of the language."""
    return say("name-comma", language).join(map(str, names))


def _text(text: str, language: str, values: Mapping[str, str]) -> str:
    if not knows(text):
        return safe(text)
    return say(text, language, **values) if values else say(text, language)
