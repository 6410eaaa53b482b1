"""The document on interviews shows what an interview shows."""

import pytest
from attn_kata.dev import interviews

TEXT = "Before.\n\n<!-- interview: brief en -->\n```text\n{}```\n\nAfter.\n"


@pytest.mark.costly
def test_document_is_up_to_date(root):
    """Every screen in docs/interview.md is what the program shows today, in both languages."""
    text = (root / "docs" / "interview.md").read_text("utf-8")
    for name in ("brief", "clock", "withheld", "result"):
        for language in ("en", "zh"):
            assert f"<!-- interview: {name} {language} -->" in text
    assert interviews.filled(text) == text


@pytest.fixture
def held(monkeypatch):
    """Let every interview show its language alone."""
    monkeypatch.setattr(interviews, "screens", lambda language: {"brief": f"{language}\n"})


def test_filled(held):
    """A screen is filled, and nothing else changes."""
    assert interviews.filled(TEXT.format("old\n")) == TEXT.format("en\n")


def test_check(held, tmp_path, capsys):
    """With --check, a stale file is named and left alone; without, it is filled."""
    path = tmp_path / "a.md"
    path.write_text(TEXT.format("old\n"), "utf-8")
    assert interviews.main(["--check", str(path)]) == 1
    assert "a.md: its screens are out of date" in capsys.readouterr().out
    assert interviews.main([str(path)]) == 0
    assert path.read_text("utf-8") == TEXT.format("en\n")
    assert interviews.main(["--check", str(path)]) == 0
