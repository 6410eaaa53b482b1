"""Code on the screen: no line of a brief, page or hint is wider than a terminal of 80 columns."""

from pathlib import Path

import pytest
from attn_kata.kata import pages
from attn_kata.kata.catalogue import LANGUAGES, katas
from attn_kata.practice.interview.stated import passage
from attn_kata.terminal.brief import blocks
from attn_kata.terminal.text import cells

SCREEN = 80
FOLDER = pages.own_pages()
FILES = [
    path.relative_to(FOLDER).as_posix()
    for pattern in ("*/brief.*.md", "*/pages/*.md", "explanations/*.md")
    for path in sorted(FOLDER.glob(pattern))
]


def wider(text: str, indent: int = 0) -> list[str]:
    """Return the lines of code that a screen would break; what is no code wraps well."""
    code = (content.split("\n") for kind, content in blocks(text) if kind == "code")
    return [row for rows in code for row in rows if indent + 2 + cells(row) > SCREEN]


@pytest.mark.parametrize("code", ["```text\n{}\n```", "    {}"], ids=["fenced", "indented"])
def test_wider(code):
    """Code stands two columns in, so 78 are its own; a Chinese character takes two of them."""
    assert wider(code.format("x" * 78)) == wider(code.format("题" * 39)) == []
    assert wider(code.format("x" * 79)) == ["x" * 79]
    assert wider(code.format("题" * 39 + "x")) == ["题" * 39 + "x"]


def test_every_kata_and_page_is_looked_at():
    """No brief and no page is missed, in either language."""
    briefs = {f"{kata.id}/brief.{language}.md" for kata in katas() for language in LANGUAGES}
    named = {f"{name}.{language}.md" for name in pages.ids() for language in LANGUAGES}
    assert briefs <= set(FILES)
    assert named <= {Path(file).name for file in FILES}


def test_briefs_and_pages_fit():
    """Every line of a brief or a page fits on the screen: code reads best unbroken."""
    found = {file: wider((FOLDER / file).read_text("utf-8")) for file in FILES}
    assert {file: rows for file, rows in found.items() if rows} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_filled_pages_fit(language):
    """With its figures in it, a page fits too."""
    found = {name: wider(pages.page(name, language)) for name in pages.ids()}
    assert {name: rows for name, rows in found.items() if rows} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_interviews_fit(language):
    """An interviewer reads a brief out two columns further in."""
    found = {kata.id: wider(passage(kata, language), 2) for kata in katas()}
    assert {name: rows for name, rows in found.items() if rows} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_hints_fit(language):
    """Hints stand two columns further in, and fit all the same."""
    found = {(kata.id, hint): wider(hint, 2) for kata in katas() for hint in kata.hints(language)}
    assert {hint: rows for hint, rows in found.items() if rows} == {}
