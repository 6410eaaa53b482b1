"""Has every mistake and remark its page, in both languages, and every page its id?"""

from __future__ import annotations

from collections.abc import Iterator

from ..checker.report import MISTAKE_IDS, REMARK_IDS
from .layout import EXPLANATIONS, LANGUAGES, PACKAGE, problem

__all__ = ["page_problems"]

_FOLDER = PACKAGE / "kata" / EXPLANATIONS


def page_problems() -> Iterator[str]:
    """Yield pages that are missing, empty or astray."""
    wanted = {
        f"{name}.{language}.md" for name in (*MISTAKE_IDS, *REMARK_IDS) for language in LANGUAGES
    }
    found = {path.name: path for path in _FOLDER.iterdir()}
    for name in sorted(wanted - set(found)):
        yield problem(f"kata/{EXPLANATIONS}/{name}", "is missing", "write it, as the others are")
    for name in sorted(set(found) - wanted):
        yield problem(
            f"kata/{EXPLANATIONS}/{name}", "is no mistake's or remark's page", "remove it"
        )
    for name in sorted(wanted & set(found)):
        title, _, body = found[name].read_text("utf-8").partition("\n")
        if title != f"# {name.split('.')[0]}" or not body.strip():
            yield problem(
                f"kata/{EXPLANATIONS}/{name}", "has no title or no text", "begin with `# ID`"
            )
