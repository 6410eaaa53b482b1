"""Values as JSON that any reader takes and no console stumbles over."""

from __future__ import annotations

import json
import math
import re
import sys
from typing import Any

from ..screen import speaks_utf8

__all__ = ["finite", "json_line"]


def json_line(value: Any) -> str:
    """Return a value as JSON on one line, which any console can write and nothing in it steers."""
    plain = finite(value)
    text = json.dumps(plain, ensure_ascii=not speaks_utf8(sys.stdout), allow_nan=False)
    # What steers a terminal or ends a line; JSON escapes the lower half of that itself.
    text = re.sub(r"[\x7f-\x9f\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", text)
    # A file's name may hold bytes that are no UTF-8; escaped, they can be written.
    lone = any("\ud800" <= char <= "\udfff" for char in text)
    return json.dumps(plain, allow_nan=False) if lone else text


def finite(value: Any) -> Any:
    """Replace what JSON cannot write, NaN and infinity, by null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: finite(item) for name, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return value
