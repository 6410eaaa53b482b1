"""The pages on mistakes and remarks: what each is, why it matters, how to mend it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

__all__ = ["ids", "page"]

_FOLDER = Path(__file__).parent / "explanations"


@cache
def ids() -> tuple[str, ...]:
    """Return the ids that have a page, sorted."""
    return tuple(sorted(path.name.removesuffix(".en.md") for path in _FOLDER.glob("*.en.md")))


def page(name: str, language: str) -> str:
    """Return a page in Markdown. Raise KeyError where there is none."""
    if name not in ids():
        raise KeyError(name)
    return (_FOLDER / f"{name}.{language}.md").read_text("utf-8")
