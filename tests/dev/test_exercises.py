"""What is proved of files with planted bugs still holds, and operators change what they say."""

from __future__ import annotations

from random import Random

import pytest
from attn_kata.dev.planting.exercises import all_katas
from attn_kata.dev.planting.operators import OPERATORS, changes
from attn_kata.dev.planting.proof import judged, named, proved_text
from attn_kata.dev.planting.source import Source
from attn_kata.kata.catalogue import katas
from attn_kata.kata.slips import slips
from attn_kata.practice.debug import bugs as table
from attn_kata.practice.debug.bugs import bugs, host, hosts
from attn_kata.practice.debug.symptoms import level_of
from attn_kata.practice.errors import Refusal
from attn_kata.practice.pages import page_names

KATAS = [kata for kata in katas() if bugs(kata)]
# Looked at in every run, drawn alike each time; all of them with --slow.
SAMPLE = 4


def made(text, *mistakes):
    """What the operators make of a text, by line."""
    return {(change.line, change.wrong) for change in changes(text, frozenset(mistakes))}


def planted(kata, bug):
    """A right file with one wrong line."""
    lines = host(kata, bug.host).splitlines()
    lines[bug.line - 1] = bug.wrong
    return "\n".join(lines) + "\n"


def disproved(kata, rows, bench):
    """Return which of these rows the judge does not name exactly, or at another level."""
    reports = judged(kata, [planted(kata, bug) for bug in rows], bench)
    return [
        bug
        for bug, report in zip(rows, reports, strict=True)
        if named(report, bug.line) != bug.mistake or level_of(report) != bug.level
    ]


@pytest.fixture(scope="module")
def bench():
    """A warm judge."""
    from attn_kata.checker.client import Bench

    with Bench(1) as bench:
        yield bench


@pytest.mark.costly
def test_a_sample_is_proved(bench) -> None:
    """Rows drawn from all katas: the right file passes, the planted one is named on its line."""
    draw = Random(3)
    some = [kata for kata in KATAS if not kata.lacking]
    for kata in draw.sample(some, min(SAMPLE, len(some))):
        bug = draw.choice(bugs(kata))
        right = next(judged(kata, [host(kata, bug.host)], bench))
        assert right.verdict == "pass", bug.host
        assert disproved(kata, [bug], bench) == []


@pytest.mark.slow
@pytest.mark.parametrize("kata", KATAS, ids=lambda kata: kata.id)
def test_all_are_proved(kata, bench) -> None:
    """Every right file passes, and every row of the table is what the judge says."""
    if kata.lacking:
        pytest.skip(f"{kata.lacking} is not installed")
    reports = judged(kata, [host(kata, name) for name in hosts(kata)], bench)
    assert {report.verdict for report in reports} == {"pass"}
    assert disproved(kata, bugs(kata), bench) == []


def test_operators_name_what_has_a_page() -> None:
    """Every mistake that an operator makes has a page, and no two operators share a name."""
    assert {name for one in OPERATORS for name in one.mistakes} <= set(page_names())
    assert len({one.name for one in OPERATORS}) == len(OPERATORS)


@pytest.mark.each_kata
@pytest.mark.parametrize("kata", KATAS, ids=lambda kata: kata.id)
def test_rows_are_what_operators_make(kata) -> None:
    """Each row's wrong line is one that an operator writes, for that mistake."""
    known = {name for one in OPERATORS for name in one.mistakes}
    known |= {slip.id for slip in slips(kata.folder)}
    for name in {bug.host for bug in bugs(kata)}:
        there = {
            (change.line, change.wrong): change.mistakes
            for change in changes(host(kata, name), frozenset(known))
        }
        rows = [bug for bug in bugs(kata) if bug.host == name]
        assert [
            bug for bug in rows if bug.mistake not in there.get((bug.line, bug.wrong), ())
        ] == []


def test_what_is_not_installed(monkeypatch) -> None:
    """Without its packages a kata is counted, and neither proved nor tried."""
    monkeypatch.setattr("attn_kata.kata.catalogue.find_spec", lambda _: None)
    with pytest.raises(Refusal, match="kata-lacking"):
        all_katas(["triton-softmax"], judging=True)
    assert [kata.id for kata in all_katas(["triton-softmax"], judging=False)] == ["triton-softmax"]
    judged_here = {kata.id for kata in all_katas([], judging=True)}
    assert {kata.id for kata in KATAS} - judged_here == {"triton-softmax", "triton-flash"}


def test_one_line_is_changed() -> None:
    """A change keeps every other line, and the rest of its own, as it was written."""
    text = "s = q @ k.mT / math.sqrt(d)  # (batch, length, length)\nw = s.softmax(-1)\n"
    assert (1, "s = q @ k.mT  # (batch, length, length)") in made(text, "scale-missing")
    assert (1, "s = q @ k.mT / d  # (batch, length, length)") in made(text, "scale-without-sqrt")
    assert (2, "w = s.softmax(-2)") in made(text, "softmax-wrong-axis")
    assert made(text, "norm-missing") == set()


def test_changes_compile_and_differ() -> None:
    """What spans lines, changes nothing or is no Python is no change."""
    source = Source("f(\n    1,\n)\nx = 1\n")
    call, assigned = source.tree.body
    assert source.changed(call, "f(2)") is None
    assert source.changed(assigned, "x = (1)") is None
    assert source.changed(assigned, "x = (") is None
    assert source.changed(assigned, "x = 2") == (4, "x = 2")


def test_written_table_reads_back() -> None:
    """A table that is written holds what it was written from, quotes and all."""
    rows = bugs(KATAS[0])[:3]
    odd = [*rows, type(rows[0])(host="a", line=1, mistake="m", level="mid", wrong="x['a'] = \"b\"")]
    read = table.tomllib.loads(proved_text(odd))["bug"]
    assert [row["wrong"] for row in read] == [bug.wrong for bug in odd]
