"""The figures of the pages on mistakes are what the code gives."""

import re

import pytest
from attn_kata.checker.report.ids import MISTAKE_IDS
from attn_kata.dev import figures
from attn_kata.dev.pages import page_problems
from attn_kata.dev.statements import sources
from attn_kata.kata import pages
from attn_kata.kata.slips import all_ids

# What a page may type in: rates and noise that it asks for, not what comes of them.
ASKED = {"0.1", "0.9", "0.5", "0.01"}
FIGURE = re.compile(r"\d+\.\d+|\d+ ?%")
LOOKS = re.compile(r"## (?:What it looks like|表现)\n(.*?)\n## ", re.DOTALL)


@pytest.mark.costly
def test_stored_figures_are_those_worked_out():
    """Every figure comes out today as it is stored."""
    assert figures.FIGURES.read_text("utf-8") == figures.written(), "run `make figures`"
    for file, now in figures.own().items():
        assert file.read_text("utf-8") == now, f"{file}: run `make figures`"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_page_is_filled(language):
    """No page is opened with a gap, and none asks for a figure that nobody works out."""
    for name in pages.ids():
        pages.page(name, language)
    assert list(page_problems()) == []


def test_both_languages_have_the_same_figures():
    """A figure in one language is in the other."""
    for name in pages.ids():
        assert pages.wanted(name, "en") == pages.wanted(name, "zh"), name


def test_every_edit_is_shown_in_numbers():
    """Where a mistake is an edit of the model answers, its page has the steps of both."""
    shared = all_ids(pages.own_pages()) & set(MISTAKE_IDS)
    told = {name for name in shared if "numbers" in pages.wanted(name, "en")}
    assert len(told) > 30
    for name in told:
        shown = pages.page(name, "en")
        assert "\n✓ output" in shown
        assert "\n× output" in shown


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_figure_is_typed_in(language):
    """Decimals and percentages in how a mistake looks are worked out, or held by a statement."""
    said = "".join(claim.text[language] for source in sources() for claim in source.claims)
    held = set(FIGURE.findall(said))
    for name in pages.ids():
        text = pages._raw(name, language)
        looks = LOOKS.search(text)
        assert looks is not None, name
        assert set(FIGURE.findall(looks[1])) <= ASKED | held, name


def test_braces_in_code_are_left(monkeypatch, tmp_path):
    """A figure is filled in outside of code alone."""
    (tmp_path / "x.en.md").write_text("# x\n{a}\n```python\nf'{a}'\n```\n{a}\n")
    (tmp_path / "figures.toml").write_text("[x]\na = '7'\n")
    monkeypatch.setattr(pages, "_FOLDER", tmp_path)
    monkeypatch.setattr(pages, "FIGURES", tmp_path / "figures.toml")
    for cached in (pages._homes, pages._figures):
        cached.cache_clear()
    try:
        assert pages.page("x", "en") == "# x\n7\n```python\nf'{a}'\n```\n7\n"
    finally:
        monkeypatch.undo()
        for cached in (pages._homes, pages._figures):
            cached.cache_clear()


def test_check_names_stale_figures(monkeypatch, tmp_path, capsys):
    """With --check nothing is written, and the exit status is 1."""
    file = tmp_path / "figures.toml"
    file.write_text("old")
    monkeypatch.setattr(figures, "FIGURES", file)
    monkeypatch.setattr(figures, "written", lambda: "new")
    monkeypatch.setattr(figures, "own", dict)
    assert figures.main(["--check"]) == 1
    assert "make figures" in capsys.readouterr().out
    assert file.read_text() == "old"
    assert figures.main([]) == 0
    assert figures.main(["--check"]) == 0
