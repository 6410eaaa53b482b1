"""Has every mistake and remark its page and its sentences, in both languages, and each its id?"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from ..checker import MISTAKE_IDS, REMARK_IDS, Diagnosis, Report
from ..kata.pages import FIGURES, wanted
from ..kata.slips import FILE, all_ids
from ..practice.interview.voices import group_of
from ..sentences.wording import forms
from .layout import EXPLANATIONS, LANGUAGES, PACKAGE, problem, read_toml
from .statements import FILE as CLAIMS

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover - the same parser under its older name
    import tomli as tomllib

__all__ = ["page_problems", "sentence_problems"]

_FOLDER = PACKAGE / "kata" / EXPLANATIONS
# Told by what was seen, each in a sentence of `checker/judge/rules.py`'s or the page's.
_SEEN = {
    "autograd-used", "mask-needed", "operator-missing", "python-loop", "result-copied",
    "result-dtype", "result-shared", "result-strides", "state-too-large", "tensor-too-large",
}  # fmt: skip


def page_problems() -> Iterator[str]:
    """Yield pages that are missing, empty or astray."""
    wanted = {
        f"{name}.{language}.md" for name in (*MISTAKE_IDS, *REMARK_IDS) for language in LANGUAGES
    }
    beside = {FIGURES, _FOLDER / CLAIMS}
    found = {path.name: path for path in _FOLDER.iterdir() if path not in beside}
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


def sentence_problems() -> Iterator[str]:
    """Yield mistakes of which nothing can be said, and shared ones that no kata takes."""
    edited = all_ids(PACKAGE / "kata")
    for name in sorted(set(MISTAKE_IDS) - edited - set(forms()) - _SEEN):
        yield problem(
            "sentences/mistakes.py",
            f"has no sentence `{name}`",
            "say in both languages what it is",
        )
    for name in MISTAKE_IDS:
        report = Report(kata="mha", file="", verdict="fail")
        report.diagnosis = [Diagnosis(mistake=name, message="")]
        if group_of(report) == "unknown":
            yield problem(
                "practice/interview/voices.toml", f"has nothing to say of `{name}`",
                "list it in the `mistakes` of a group",
            )  # fmt: skip
    shared = {row["id"] for row in read_toml(PACKAGE / "kata" / FILE)["mistake"]}
    for name in sorted(shared - all_ids(PACKAGE / "kata")):
        yield problem(f"kata/{FILE}", f"`{name}` is in no kata", "list it in one, or remove it")


def _unknown_figures(file: str) -> Iterator[str]:
    """Yield the figures that a page asks for and that are not stored."""
    name, language, _ = file.split(".")
    stored = tomllib.loads(FIGURES.read_text("utf-8")).get(name, {})
    for key in sorted(wanted(name, language) - set(stored)):
        yield problem(
            f"kata/{EXPLANATIONS}/{file}", f"has no figure `{{{key}}}`",
            "work it out in dev/claims.py, then run `make figures`",
        )  # fmt: skip
