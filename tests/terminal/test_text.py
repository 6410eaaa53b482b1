"""Measuring, wrapping and escaping."""

from importlib import import_module
from pathlib import Path

import pytest
from attn_kata.terminal import words
from attn_kata.terminal.brief import markdown_lines
from attn_kata.terminal.language import choose
from attn_kata.terminal.text import cells, cut, fold, number, quoted, safe, wrap, written
from attn_kata.terminal.words import messages
from hypothesis import given
from hypothesis import strategies as st


@given(st.text("ab 中文，。()√", max_size=60), st.integers(4, 30))
def test_wrapping_fits_and_loses_nothing(text, width):
    """Every line fits, and only spaces go missing."""
    rows = wrap(text, width)
    assert all(cells(row) <= width for row in rows)
    assert "".join(rows).replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize("width", [1, 0, -5])
def test_wrapping_ends_where_there_is_no_room(width):
    """What a narrow terminal leaves beside a label may be nothing: it is wrapped all the same."""
    assert wrap("ab 中", width) == ["a", "b", "中"]


@given(st.lists(st.text("ab 中文，√", max_size=20), max_size=4), st.integers(2, 30))
def test_folding_fits_and_loses_nothing(texts, width):
    """Every row fits and is full before the next begins; all that was there is there."""
    rows = fold([(text, str(at)) for at, text in enumerate(texts)], width)
    assert all(width - 1 <= cells(written(row)) <= width for row in rows[:-1])
    assert cells(written(rows[-1])) <= width
    found = [(char, style) for row in rows for text, style in row for char in text]
    assert found == [(char, str(at)) for at, text in enumerate(texts) for char in text]


@pytest.mark.parametrize(("text", "told"), [("four", "four"), ("fives", "fiv…"), ("中文字", "中…")])
def test_what_is_cut_is_marked(text, told):
    """A text that is too wide ends in a mark, within the width."""
    assert cut(text, 4) == told


def test_chinese_breaks_between_characters_and_not_before_a_comma():
    """A full line of Chinese is used up; punctuation stays with what it closes."""
    assert wrap("注意力分数，要缩放", 10) == ["注意力分", "数，要缩放"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\nb", "a\\nb"), ("\x1b[31m", "\\x1b[31m"), ("\u202edc", "\\u202edc"), ("中 [b]", "中 [b]")],
)
def test_what_acts_on_the_terminal_is_spelt(text, shown):
    """Control and direction characters become their escapes."""
    assert safe(text) == shown


@pytest.mark.parametrize(
    ("name", "typed"), [("a b.py", "'a b.py'"), ("-x.py", "./-x.py"), ("中.py", "中.py")]
)
def test_names_are_quoted_for_a_shell(name, typed):
    """A file's name can be pasted."""
    assert quoted(name).strip("'") == typed.strip("'")


def test_numbers_have_three_digits():
    """Three digits, and words for what is no number."""
    assert [number(x) for x in (0.31459, -11.62, 1e-12, float("nan"), float("-inf"), None)] == [
        "0.315", "-11.6", "1e-12", "nan", "-inf", "?",
    ]  # fmt: skip


def test_every_sentence_is_there_in_both_languages():
    """No sentence is empty, and both take the same values."""
    import re

    for key, texts in messages().items():
        assert set(texts) == {"en", "zh"}
        assert all(texts.values()), key
        if key not in {"doctor-language-default", "doctor-language-is"}:
            fields = [set(re.findall(r"{(\w+)}", text)) for text in texts.values()]
            assert fields[0] == fields[1], key


def test_no_key_has_two_sentences():
    """Of two the later would be said in the place of both."""
    files = Path(words.__file__).parent.glob("words_*.py")
    rows = [row for one in files for row in import_module(f"attn_kata.terminal.{one.stem}").ROWS]
    assert len(rows) == len(messages())


def test_brief_markdown_is_wrapped():
    """Paragraphs follow the width, Chinese joins without a space, code that goes on hangs."""
    text = "# T\n\n一二三四\n五六七八\n\n```text\n long code line\nshort\n```\n- one\n  two\n"
    rows = [written(line) for line in markdown_lines(text, 14)]
    code = ["   long code", "     line", "  short"]
    assert rows == ["T", "", "一二三四五六七", "八", "", *code, "- one two"]


def test_a_question_in_bold_stands_alone():
    """What a paragraph opens with in bold is drawn bold, without its stars."""
    lines = markdown_lines("**why so?** because\nit is", 40)
    assert lines == [[("why so?", "bold")], [("because it is", "")]]


@pytest.mark.parametrize(
    ("arguments", "environment", "encoding", "code"),
    [
        ([], {}, "utf-8", "en"),
        (["--lang", "zh", "list"], {}, "ascii", "zh"),
        (["list", "--lang=zh"], {"LANG": "en_US.UTF-8"}, "utf-8", "zh"),
        (["check", "--", "--lang", "zh"], {}, "utf-8", "en"),
        ([], {"ATTN_KATA_LANG": "zh", "LC_ALL": "C"}, "utf-8", "zh"),
        ([], {"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, "utf-8", "en"),
        ([], {"LC_MESSAGES": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, "utf-8", "zh"),
        ([], {"LANG": "zh_TW.UTF-8"}, "utf-8", "zh"),
        ([], {"LANG": "zh_CN.GBK"}, "gbk", "zh"),
        ([], {"LANG": "zh_CN.UTF-8"}, "ascii", "en"),
    ],
)
def test_language_is_asked_then_set_then_the_locale(arguments, environment, encoding, code):
    """The option wins over the variable, the variable over the locale."""
    assert choose(arguments, environment, encoding).code == code


def test_lines_of_a_paragraph_are_joined_as_the_language_asks():
    """A space between words, none between Chinese characters or after a Chinese stop."""
    rows = [written(line) for line in markdown_lines("a b\nc 中\n文，\nmerged 装", 80)]
    assert rows == ["a b c 中文，merged 装"]


def test_bytes_of_a_name_are_written_as_a_shell_reads_them():
    """A byte that is no UTF-8 is spelt so that the name can be pasted."""
    assert safe("\udcff.py") == "\\xff.py"
    assert quoted("\udcff.py") == "$'\\xff.py'"
