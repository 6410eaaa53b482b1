"""The pages on mistakes and remarks: what each is, why it matters, how to mend it.

A page's figures are worked out by `dev.figures` and stored beside the pages.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover - the same parser under its older name
    import tomli as tomllib

__all__ = ["FIGURES", "ids", "page", "wanted"]

_FOLDER = Path(__file__).parent / "explanations"
FIGURES = _FOLDER / "figures.toml"
# The braces of code are Python's.
_FENCED = re.compile(r"(```.*?```)", re.DOTALL)
_KEY = re.compile(r"\{([a-z][a-z0-9-]*)\}")


@cache
def ids() -> tuple[str, ...]:
    """Return the ids that have a page, sorted."""
    return tuple(sorted(path.name.removesuffix(".en.md") for path in _FOLDER.glob("*.en.md")))


def page(name: str, language: str) -> str:
    """Return a page in Markdown, with its figures. Raise KeyError where there is none."""
    figures = _figures().get(name, {})

    def fill(match: re.Match[str]) -> str:
        if match[1] == "numbers":
            return f"{figures[f'lead-{language}']}\n```text\n{figures['numbers']}\n```"
        return figures[match[1]]

    parts = _FENCED.split(_raw(name, language))
    return "".join(part if place % 2 else _KEY.sub(fill, part) for place, part in enumerate(parts))


def wanted(name: str, language: str) -> set[str]:
    """Return the figures that a page asks for."""
    return {key for part in _FENCED.split(_raw(name, language))[::2] for key in _KEY.findall(part)}


def _raw(name: str, language: str) -> str:
    if name not in ids():
        raise KeyError(name)
    return (_FOLDER / f"{name}.{language}.md").read_text("utf-8")


@cache
def _figures() -> dict[str, dict[str, str]]:
    return tomllib.loads(FIGURES.read_text("utf-8"))
