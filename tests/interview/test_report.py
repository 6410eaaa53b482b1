"""The result: on the screen and as Markdown word for word, as a page by what it holds."""

import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from attn_kata.practice.errors import Refusal
from attn_kata.practice.interview.exports import write
from attn_kata.practice.interview.grades import Dimension
from attn_kata.practice.interview.result import result_of
from attn_kata.terminal.interview.markdown import markdown_text
from attn_kata.terminal.interview.page import page_text
from attn_kata.terminal.interview.past import past_lines
from attn_kata.terminal.interview.result import mark_text, result_lines
from attn_kata.terminal.text import cells, written

GOLDEN = Path(__file__).parent / "golden"
WRITE = "REGENERATE_GOLDEN"


@pytest.fixture
def result(lead, hands, work, script):
    """An interview with a bit of everything: a slip, a hint, a nap of the machine, a step left."""
    led = lead()
    led.line("what does 1 mean in the mask?")
    led.line("start")

    def submit(text):
        (work / "interview.py").write_text(text, "utf-8")
        led.line("submit")

    hands.go_on(20)
    submit(script.crash)
    hands.go_on(40)
    submit(script.unlike)
    hands.go_on(60)
    submit(script.wrong)
    hands.go_on(60)
    led.line("more")
    led.line("hint")
    hands.turn(wall=90, steady=90)
    submit(script.right)
    while led.session.put.asked("en").exact:
        hands.go_on(20)
        led.line("")
    for line in ("the scale", "and the <mask>", "", "1 2"):
        hands.go_on(20)
        led.line(line)
    hands.turn(wall=-3600)
    led.line("run")
    hands.go_on(300)
    led.line("end")
    return result_of(led.session, ["explain scale-by-hidden-dim"])


def compare(name, text):
    """Compare with a stored text, or store it where the environment asks for that."""
    path = GOLDEN / name
    if os.environ.get(WRITE):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [80, 40])
def test_screen(result, language, width):
    """The screen is as stored, and no row that is not a command is too wide."""
    rows = [written(line).rstrip() for line in result_lines(result, language, width)]
    compare(f"result.{language}.{width}.txt", "\n".join(rows) + "\n")
    assert [row for row in rows if cells(row) > width and "attn-kata" not in row] == []


def test_nothing_seen_of_what_is_called_for_is_a_nought():
    """A dimension that decides is not said to be uncalled for; one that a plan may spare is."""
    explained, paced = (
        Dimension(name=name, mark=0, evidence=()) for name in ("explanation", "pace")
    )
    assert mark_text(explained, 2, "en") == "0/4  asked for 2"
    assert mark_text(paced, 2, "en") == "not called for"


def test_commands_in_the_language_asked_for_fit_the_screen(result):
    """Commands that end in `--lang zh` leave less room for what they do."""
    drawn = result_lines(result, "zh", 80, lambda command: f"{command} --lang zh")
    rows = [written(line).rstrip() for line in drawn]
    assert sum("--lang zh" in row for row in rows) >= 3
    assert max(map(cells, rows)) <= 80


@pytest.mark.parametrize("language", ["en", "zh"])
def test_markdown(result, language):
    """The Markdown is as stored."""
    compare(f"result.{language}.md", markdown_text(result, language))


def test_code_cannot_end_its_fence(result):
    """Code that holds a fence stands in a longer one."""
    code = replace(result.codes[0], source="'''\n```\n'''\n")
    text = markdown_text(replace(result, codes=(code,)), "en")
    assert "\n````python\n" in text


class Tags(HTMLParser):
    """Collects what a page loads or runs, and the tags left open."""

    def __init__(self):
        super().__init__()
        self.loaded = []
        self.tags = set()

    def handle_starttag(self, tag, attrs):
        """Note a tag, and what it would fetch."""
        self.tags.add(tag)
        self.loaded += [value for name, value in attrs if name in {"src", "href", "action"}]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_page_needs_nothing_else(result, language):
    """The page loads nothing and runs nothing: it can be mailed and opened anywhere."""
    text = page_text(result, language)
    tags = Tags()
    tags.feed(text)
    assert tags.loaded == []
    assert "script" not in tags.tags
    assert not re.search(r"@import|url\(|https?://", text)
    assert {"svg", "pre", "details"} <= tags.tags


def test_page_holds_it_all(result):
    """Timeline, code, diagnoses, heat map, marks and their evidence are there."""
    text = page_text(result, "en")
    for words in (
        "the scores are divided by √hidden_dim",
        "where the first failure differs",
        "rgba(224, 122, 40, 1.0)",
        "submission 3 at 2:00",
        "verification",
        "attn-kata explain scale-by-hidden-dim",
        "a good answer",
        "2023-11-14",
        "the machine was asleep for 1:30",
        "set back by 1:00:00",
    ):
        assert words in text, words


def test_page_escapes_what_people_write(result):
    """Code and answers cannot become part of the page."""
    code = replace(result.codes[0], source="x = '<script>alert(1)</script>'\n")
    text = page_text(replace(result, codes=(code,)), "en")
    assert "<script>" not in text
    assert "and the &lt;mask&gt;" in text


def test_page_sets_what_stands_in_backticks_as_code(result):
    """A question that quotes code is read as prose with code in it."""
    asked = replace(result.questions[0], ask={"en": "Does `a < b` copy, or ` not?", "zh": ""})
    text = page_text(replace(result, questions=(asked,)), "en")
    assert "Does <code>a &lt; b</code> copy, or ` not?" in text


def test_page_prefers_attention_weights(result):
    """Where a report carries attention weights, they are the heat map."""
    heat = {"expected": [[[1.0, 0.0], [0.5, 0.5]]], "actual": [[[0.25, 0.75], [0.5, 0.5]]]}
    report = {**result.codes[2].report, "heat": heat}
    code = replace(result.codes[2], report=report)
    text = page_text(replace(result, codes=(code,)), "en")
    assert "0.75</td>" in text
    assert "difference</caption>" not in text


def test_page_without_numbers_says_so(result):
    """Nothing to compare is said, not drawn."""
    report = {**result.codes[2].report, "difference": None}
    code = replace(result.codes[2], report=report)
    assert "there are no numbers to compare" in page_text(replace(result, codes=(code,)), "en")


def test_practice_has_no_score(result):
    """Practice shows the way, and judges nobody."""
    played = replace(result, practice=True, dimensions=())
    for text in (
        "".join(written(line) for line in result_lines(played, "en", 80)),
        markdown_text(played, "en"),
        page_text(played, "en"),
    ):
        assert "no clock, no score" in text
        assert "verdict" not in text
        assert "strong" not in text.replace("<strong>", "").replace("</strong>", "")


def test_reports_overwrite_nothing(tmp_path):
    """A file that is there is replaced only where that is asked for."""
    file = tmp_path / "r.md"
    write(file, "one", force=False)
    with pytest.raises(Refusal, match="export-there"):
        write(file, "two", force=False)
    write(file, "three", force=True)
    assert file.read_text("utf-8") == "three"
    with pytest.raises(Refusal, match="cannot-write"):
        write(tmp_path / "no" / "r.md", "x", force=False)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_list_shows_marks_over_time(result, language):
    """A row an interview, and each dimension over the last ones."""
    better = [replace(one, mark=4) for one in result.dimensions]
    later = replace(result, number=2, dimensions=tuple(better))
    rows = [written(line) for line in past_lines([result, later], language, 80)]
    assert sum("mha" in row for row in rows) == 2
    gains = [4 - one.mark for one in result.dimensions if one.mark]
    told = [int(row.split()[-1]) for row in rows if row.strip() and row.split()[-1][0] == "+"]
    assert told == [gain for gain in gains if gain]
    assert all(cells(row) <= 80 for row in rows)
    due = [written(line) for line in past_lines([result, later], language, 80, 3)]
    (asked,) = [row for row in due if "attn-kata questions" in row]
    assert "3" in asked
    assert not any("attn-kata questions" in row for row in rows)
