"""Has every mistake and remark its page, in both languages, and every page its id?"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from ..checker.report import MISTAKE_IDS, REMARK_IDS
from ..kata.pages import FIGURES, wanted
from .layout import EXPLANATIONS, LANGUAGES, PACKAGE, problem

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover - the same parser under its older name
    import tomli as tomllib

__all__ = ["page_problems"]

_FOLDER = PACKAGE / "kata" / EXPLANATIONS


def page_problems() -> Iterator[str]:
    """Yield pages that are missing, empty or astray."""
    wanted = {
        f"{name}.{language}.md" for name in (*MISTAKE_IDS, *REMARK_IDS) for language in LANGUAGES
    }
    found = {path.name: path for path in _FOLDER.iterdir() if path != FIGURES}
    for name in sorted(wanted - set(found)):
        yield problem(f"kata/{EXPLANATIONS}/{name}", "is missing", "write it, as the others are")
    for name in sorted(set(found) - wanted):
        yield problem(
            f"kata/{EXPLANATIONS}/{name}", "is no mistake's or remark's page", "remove it"
        )
    for name in sorted(wanted & set(found)):
        yield from _unknown_figures(name)
        title, _, body = found[name].read_text("utf-8").partition("\n")
        if title != f"# {name.split('.')[0]}" or not body.strip():
            yield problem(
                f"kata/{EXPLANATIONS}/{name}", "has no title or no text", "begin with `# ID`"
            )


def _unknown_figures(file: str) -> Iterator[str]:
    """Yield the figures that a page asks for and that are not stored."""
    name, language, _ = file.split(".")
    stored = tomllib.loads(FIGURES.read_text("utf-8")).get(name, {})
    for key in sorted(wanted(name, language) - set(stored)):
        yield problem(
            f"kata/{EXPLANATIONS}/{file}", f"has no figure `{{{key}}}`",
            "work it out in dev/claims.py, then run `make figures`",
        )  # fmt: skip
