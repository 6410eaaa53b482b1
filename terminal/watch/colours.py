"""The program's lines and styles as prompt_toolkit takes them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

from ..screen import STYLES, Screen, plainly
from ..text import Line

__all__ = ["colour_depth", "drawn", "style"]

_NAMES = {"green", "red", "yellow", "cyan"}
_DEPTHS = {
    "standard": ColorDepth.DEPTH_4_BIT,
    "256": ColorDepth.DEPTH_8_BIT,
    "truecolor": ColorDepth.DEPTH_24_BIT,
}


def drawn(lines: Sequence[Line]) -> StyleAndTextTuples:
    """Return lines as fragments."""
    found: StyleAndTextTuples = []
    for at, line in enumerate(lines):
        found += [("", "\n")] if at else []
        found += [
            (f"class:kata.{name or 'plain'}", plainly(text, sys.stdout)) for text, name in line
        ]
    return found


def style() -> Style:
    """Return the styles of all lines."""
    return Style.from_dict(
        {f"kata.{name or 'plain'}": _spelt(rich) for name, rich in STYLES.items()}
    )


def colour_depth(screen: Screen) -> ColorDepth:
    """Return how many colours the screen has."""
    system = screen.out.color_system if screen.colour else None
    return _DEPTHS.get(system or "", ColorDepth.DEPTH_1_BIT)


def _spelt(rich: str) -> str:
    """Spell a style of rich's, `bold green` or `#ffffff on #000000`, as prompt_toolkit does."""
    letters, _, ground = rich.partition(" on ")
    words = [f"ansi{word}" if word in _NAMES else word for word in letters.split()]
    return " ".join(
        [*(word for word in words if word != "none"), *([f"bg:{ground}"] if ground else [])]
    )
