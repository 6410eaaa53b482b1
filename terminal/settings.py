"""The settings on the screen: each with its value, and what decides it just now."""

from __future__ import annotations

from collections.abc import Sequence

from ..practice.settings import SETTINGS, Settings
from .lists import next_lines
from .screen import Screen
from .text import Line, cells, pad, safe, wrap

__all__ = ["settings_lines"]

# What goes before the file, where it is set.
_BEFORE = {
    "lang": ("ATTN_KATA_LANG",),
    "color": ("NO_COLOR", "FORCE_COLOR"),
    "editor": (),
    "katas": (),
}


def settings_lines(
    screen: Screen, settings: Settings, names: Sequence[str], environment: dict[str, str]
) -> list[Line]:
    """Draw a line a setting, where they are kept, and what to type next."""
    room = max(map(len, SETTINGS)) + 2
    values = {name: _value(screen, settings, name) for name in names}
    wide = max(map(cells, values.values())) + 2
    lines: list[Line] = []
    for name in names:
        before = [one for one in _BEFORE[name] if environment.get(one)]
        told = screen.say("setting-overruled", name=before[0]) if before else ""
        told = told or screen.say(f"setting-{name}")
        head = pad(name, room)
        first, *rest = wrap(told, max(20, screen.width - 2 - room - wide))
        lines.append(
            [("  ", ""), (head, "code"), (pad(values[name], wide), "bold"), (first, "dim")]
        )
        lines += [[(" " * (2 + room + wide) + row, "dim")] for row in rest]
    return [
        *lines,
        [],
        [(f"  {screen.say('settings-file', file=safe(str(settings.path)))}", "dim")],
        [],
        *next_lines(("attn-kata watch",), screen.language),
    ]


def _value(screen: Screen, settings: Settings, name: str) -> str:
    return safe(settings.get(name)) or screen.say("setting-unset")
