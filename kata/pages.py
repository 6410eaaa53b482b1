"""The pages on mistakes and remarks: what each is, why it matters, how to mend it.

Pages on what several katas can get wrong lie in `explanations/`; a kata of functions may have
pages of its own in its folder. A page's figures are worked out by `dev.figures` and stored in a
`figures.toml` beside the pages, or beside the kata's folder of pages.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

from .packs import kata_folders

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover - the same parser under its older name
    import tomli as tomllib

__all__ = ["FIGURES", "ids", "own_pages", "page", "wanted"]

_FOLDER = Path(__file__).parent / "explanations"
FIGURES = _FOLDER / "figures.toml"
# The braces of code are Python's.
_FENCED = re.compile(r"(```.*?```)", re.DOTALL)
_KEY = re.compile(r"\{([a-z][a-z0-9-]*)\}")


def ids() -> tuple[str, ...]:
    """Return the ids that have a page, sorted."""
    return tuple(sorted(_homes(kata_folders())))


def own_pages() -> Path:
    """Return the folder of the katas, each of which may hold a folder of pages."""
    return _FOLDER.parent


@cache
def _homes(katas: tuple[Path, ...]) -> dict[str, Path]:
    """The folder of each page; one for all katas goes before a kata's own, ours before a pack's."""
    own = [path for kata in reversed(katas) for path in sorted((kata / "pages").glob("*.en.md"))]
    found = [*own, *_FOLDER.glob("*.en.md")]
    return {path.name.removesuffix(".en.md"): path.parent for path in found}


def page(name: str, language: str) -> str:
    """Return a page in Markdown, with its figures. Raise KeyError where there is none."""
    raw = _raw(name, language)
    figures = _figures(_home(name)).get(name, {})

    def fill(match: re.Match[str]) -> str:
        if match[1] == "numbers":
            return f"{figures[f'lead-{language}']}\n```text\n{figures['numbers']}\n```"
        return figures[match[1]]

    parts = _FENCED.split(raw)
    return "".join(part if place % 2 else _KEY.sub(fill, part) for place, part in enumerate(parts))


def wanted(name: str, language: str) -> set[str]:
    """Return the figures that a page asks for."""
    return {key for part in _FENCED.split(_raw(name, language))[::2] for key in _KEY.findall(part)}


def _raw(name: str, language: str) -> str:
    return (_home(name) / f"{name}.{language}.md").read_text("utf-8")


def _home(name: str) -> Path:
    return _homes(kata_folders())[name]


@cache
def _figures(home: Path) -> dict[str, dict[str, str]]:
    path = FIGURES if home == _FOLDER else home.parent / FIGURES.name
    return tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
