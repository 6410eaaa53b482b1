"""Reports as one document in a file, in the form that its ending says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ... import __version__
from ...checker import Report
from ...practice.pages import page_called, page_names
from ...sentences.wording import worded
from ..shown import text_of
from ..source import lines_of
from .json_text import finite
from .junit import junit_text
from .sarif import sarif_log

__all__ = ["document", "log_of"]


def log_of(reports: Sequence[Report], language: str) -> dict[str, Any]:
    """Return reports as one SARIF log, with the pages on what it names."""
    names = page_names()
    return sarif_log(
        reports, language, __version__,
        lambda name: page_called(name, language) if name in names else None,
    )  # fmt: skip


def document(ending: str, reports: Sequence[Report], language: str) -> str:
    """Write reports as `.json` (a list), `.sarif` or `.xml` (JUnit)."""
    if ending == ".xml":
        return junit_text(
            reports, language, lambda one: text_of(one, lines_of(Path(one.file)), language)
        )
    if ending == ".sarif":
        return json.dumps(finite(log_of(reports, language)), ensure_ascii=False, indent=1)
    plain = [finite(worded(one, language).to_dict()) for one in reports]
    return json.dumps(plain, ensure_ascii=False, indent=1)
