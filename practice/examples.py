"""The shipped examples, laid out for the demo."""

from __future__ import annotations

from pathlib import Path

from ..kata.catalogue import Kata
from .errors import Refusal
from .home import reason
from .stubs import start

__all__ = ["lay_out"]

_FOLDER = Path(__file__).parent.parent / "examples"


def lay_out(kata: Kata, folder: Path) -> list[Path]:
    """Start a kata in a folder, and put a right and a wrong answer beside it."""
    start(kata, folder, force=False)
    return [_copied(f"{side}_{kata.id}.py", folder) for side in ("right", "wrong")]


def _copied(name: str, folder: Path) -> Path:
    try:
        text = (_FOLDER / name).read_text("utf-8")
    except OSError as fault:
        raise Refusal("no-examples", folder=str(_FOLDER), reason=reason(fault)) from None
    file = folder / name
    file.write_text(text, "utf-8")
    return file
