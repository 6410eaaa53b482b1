"""A font of the system's that can write Chinese, for pictures made of pixels."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

__all__ = ["chinese_font"]

# Where macOS and the usual packages of Linux keep theirs, and where a person puts one.
_FOLDERS = ("/System/Library/Fonts", "/Library/Fonts", "/usr/share/fonts", "~/Library/Fonts",
            "~/.local/share/fonts", "~/.fonts")  # fmt: skip
_NAMES = ("PingFang*", "Hiragino Sans GB*", "STHeiti*", "Songti*", "*CJK*", "*HanSans*", "wqy*",
          "DroidSansFallback*", "Arial Unicode*", "uming*", "ukai*")  # fmt: skip
_KINDS = (".ttf", ".ttc", ".otf", ".otc")


@cache
def chinese_font(needed: str) -> Path | None:
    """Return a font that has all of these characters; nothing where the system has none."""
    return next((file for file in _candidates() if _has(file, needed)), None)


def _candidates() -> Iterator[Path]:
    yield from _known_to_fontconfig()
    for folder in _FOLDERS:
        for name in _NAMES:
            found = Path(folder).expanduser().rglob(name)
            yield from sorted(file for file in found if file.suffix.lower() in _KINDS)


def _known_to_fontconfig() -> list[Path]:
    """Ask what Linux draws its own windows with, where that is installed."""
    command = ["fc-match", "--format=%{file}", "sans-serif:lang=zh-cn"]
    try:
        answer = subprocess.run(command, capture_output=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    return [Path(os.fsdecode(answer.stdout))]


def _has(file: Path, needed: str) -> bool:
    """Whether every character has a shape of its own: what a font lacks, it draws as one sign."""
    from PIL import ImageFont

    try:
        font = ImageFont.truetype(str(file), 24)
        lacking = _shape(font, "\U0010ffff")
        return all(_shape(font, sign) != lacking for sign in needed if not sign.isspace())
    except OSError:
        return False


def _shape(font: FreeTypeFont, sign: str) -> bytes:
    from PIL import Image, ImageDraw

    drawn = Image.new("L", (48, 48))
    ImageDraw.Draw(drawn).text((4, 4), sign, fill=255, font=font)
    return drawn.tobytes()
