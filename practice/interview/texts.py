"""Read the interview's texts, which lie beside this module as TOML."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover - the same parser under its older name
    import tomli as tomllib

__all__ = ["FOLDER", "table"]

FOLDER = Path(__file__).parent


@cache
def table(name: str) -> dict[str, Any]:
    """Return a file's content."""
    return tomllib.loads((FOLDER / name).read_text("utf-8"))
