"""The history and what is due, as they are drawn."""

import re

import pytest
from attn_kata.checker import Report
from attn_kata.checker.report.report import Fault, Part
from attn_kata.kata.catalogue import find, katas
from attn_kata.practice.clock import DAY, now
from attn_kata.practice.history import Attempt, Event
from attn_kata.practice.schedule import due, standings
from attn_kata.practice.sittings import sittings
from attn_kata.practice.summary import summary
from attn_kata.terminal.ladder import kata_lines
from attn_kata.terminal.progress import (
    attempt_lines,
    due_lines,
    history_lines,
    kata_history_lines,
    nothing_due_lines,
    plot,
)
from attn_kata.terminal.text import cells, written
from attn_kata.terminal.times import duration, in_days


def told():
    """A person who has been at it for a month, clumsily."""
    story = []
    for number, kata in enumerate(("v1", "v2", "mha", "v1", "causal")):
        time = now() - (30 - 6 * number) * DAY
        story.append(Event(kata=kata, kind="start", time=time))
        for step, verdict in enumerate(("fail", "error", "pass")):
            if (kata, verdict) == ("causal", "pass"):
                continue
            story.append(
                Attempt(
                    kata=kata, file=f"/home/[bold]/{kata}\n.py", verdict=verdict,
                    mistakes=("heads-merge-without-transpose",) if verdict == "fail" else (),
                    elapsed_ms=100, seed=1, source_hash=f"{number}{step}",
                    time=time + 200 * (step + 1),
                )
            )  # fmt: skip
    return story


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [80, 40, 24])
def test_fits_the_screen(language, width):
    """Every line fits, in either language, wide or narrow; commands may stand out."""
    story = told()
    screens = [
        history_lines(summary(story), language, width),
        history_lines(summary([]), language, width),
        kata_history_lines(find("v1"), summary(story, "v1"), language, width),
        kata_history_lines(find("v3"), summary(story, "v3"), language, width),
        due_lines(due(sittings(story)), language, width),
        nothing_due_lines(standings([]), katas()[0], language, width),
        kata_lines(katas(), standings(sittings(story)), language, width),
    ]
    for lines in screens:
        assert lines
        for line in lines:
            assert "\n" not in written(line)
            assert "{" not in written(line)
            if "attn-kata" not in written(line):
                assert cells(written(line)) <= max(width, 32), written(line)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_katas_stand_in_a_table(language):
    """How often each was judged stands in one column, however they stand."""
    rows = [written(line) for line in history_lines(summary(told()), language, 80)[2:6]]
    word = "checks" if language == "en" else "次"
    assert len({cells(row[: row.index(word)]) for row in rows if word in row}) == 1


def test_what_is_said():
    """The figures stand where a person looks for them."""
    story = told()
    text = "\n".join(map(written, history_lines(summary(story), "en", 80)))
    assert " ".join(text.split()).startswith(
        f"3 of {len(katas())} katas passed; 14 checks, 4 passed; "
    )
    assert "heads-merge-without-transpose" in text
    listed = "\n".join(map(written, due_lines(due(sittings(story)), "en", 80)))
    assert "chance that you would get it right" in listed
    assert "in 5 sittings, most recently in this kata" in " ".join(listed.split())


@pytest.mark.parametrize(
    ("kind", "line", "english", "chinese"),
    [
        ("syntax", 2, "line 2: not valid Python", "第 2 行：不是合法的 Python"),
        ("load", 3, "line 3: could not be loaded", "第 3 行：文件加载不了"),
        ("construct", 9, "line 9: raised while the object was made", "第 9 行：创建对象时出错"),
        ("forward", 9, "line 9: raised when it was called", "第 9 行：调用时出错"),
        ("timeout", None, "took too long", "运行超时"),
        ("memory", None, "ran out of memory", "内存不够"),
        ("crash", None, "it ended before there was a verdict", "还没得出结果就中断了"),
        ("no-class", None, "it was not clear what to judge", "看不出要评判的是哪个"),
    ],
)
def test_every_error_has_a_reason(kind, line, english, chinese):
    """It stands in a few words beside the verdict, with a gap between the two."""
    error = Fault(kind=kind, message="…", line=line)
    attempt = Attempt.of(Report(kata="v1", file="v1.py", verdict="error", error=error), None)
    for language, reason in (("en", f"ERROR  {english}"), ("zh", f"无法评判  {chinese}")):
        (drawn,) = attempt_lines(attempt, language, 80)
        assert written(drawn).endswith(f"  {reason}")


def test_a_kata_that_was_tried_is_not_new():
    """Where nothing is due, what was left is gone on with; only what was never tried is new."""
    stands = standings(sittings(told()))
    for name, words in (("causal", "go on with one not passed yet: causal"), ("v3", "try a new")):
        lines = nothing_due_lines(stands, find(name), "en", 80)
        assert words in "\n".join(map(written, lines))


def test_what_is_not_written_raised_nothing():
    """Of a file that is half written the history says so, and not that a call raised."""
    report = Report(kata="alibi", file="alibi.py", verdict="error")
    report.error = Fault(kind="forward", message="…", line=31)
    report.functions = [
        Part(name="slopes", status="pass"), Part(name="bias", status="waits", line=31)
    ]  # fmt: skip
    attempt = Attempt.of(report, None)
    said = [written(attempt_lines(attempt, language, 80)[0])[-24:] for language in ("en", "zh")]
    assert said[0].endswith("line 31: not written yet")
    assert said[1].endswith("第 31 行：还没写完")


@pytest.mark.parametrize(
    ("counts", "wanted"),
    [((), ""), ((0, 0), "··"), ((0, 1, 0), "·█·"), ((1, 8), "▂█"), ((4, 4), "██")],
)
def test_plot(counts, wanted):
    """Nothing is a dot, something is never nothing, the most is full."""
    assert plot(counts) == wanted


def test_times_in_words():
    """As one says them."""
    said = [duration(seconds, "en") for seconds in (0.2, 59, 60, 3599, 3900)]
    assert said == ["1 s", "59 s", "1 min", "1 h 0 min", "1 h 5 min"]
    assert [in_days(now() + days * DAY, "en") for days in (-3, 0, 1, 5)] == [
        "today", "today", "tomorrow", "in 5 days",
    ]  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
def test_minutes_stand_beside_a_title(language):
    """A long title makes room for them: at 80 columns none stand on a line of their own."""
    rows = [written(line) for line in kata_lines(katas(), standings([]), language, 80)]
    word = "min" if language == "en" else "分钟"
    assert not [row for row in rows if re.fullmatch(rf"\s*\d+ {word}", row)]
    assert sum(row.endswith(word) for row in rows) >= len(katas())
