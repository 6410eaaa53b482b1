"""Exercises with planted bugs: worked out, claimed, hinted, mended, remembered. Without a judge."""

from __future__ import annotations

import ast
import os
import random
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest
from attn_kata.checker.report.message import Message
from attn_kata.checker.report.report import (
    Check,
    Crash,
    Diagnosis,
    Difference,
    Fault,
    Part,
    Report,
)
from attn_kata.kata.catalogue import find, katas
from attn_kata.practice.debug import handing, rounds
from attn_kata.practice.debug.bugs import LEVELS, bugs, host, hosts
from attn_kata.practice.debug.exercise import MOST, Order, exercise_in, most, worked_out
from attn_kata.practice.debug.record import due_bugs, held, wrong_before
from attn_kata.practice.debug.standing import line_handed_out, mending
from attn_kata.practice.debug.symptoms import level_of, symptoms
from attn_kata.practice.debug.veil import veiled
from attn_kata.practice.errors import Refusal
from attn_kata.practice.history import Attempt, Event, History
from attn_kata.practice.pages import page_names
from attn_kata.practice.sittings import sittings
from attn_kata.terminal.debug import symptom_text
from attn_kata.terminal.words import knows

KATAS = [kata for kata in katas() if hosts(kata)]
MHA = find("mha")
PASSES = Report(kata="mha", file="x.py", verdict="pass")
FAILS = Report(kata="mha", file="x.py", verdict="fail")


def exercise(seed=3, count=2, **more):
    """An exercise of mha."""
    found = worked_out(Order(kata=MHA, seed=seed, count=count, **more))
    assert found is not None
    return found


def written(place, one):
    """An exercise in a file."""
    file = place / "debug_mha.py"
    file.write_text(one.text, "utf-8")
    return file


@pytest.fixture
def history(tmp_path):
    """A history of one's own."""
    return History(tmp_path / "home")


@pytest.mark.parametrize("kata", KATAS, ids=lambda kata: kata.id)
def test_proved_rows(kata) -> None:
    """Each proved row changes one line of a right file, and its mistake has a page."""
    assert len(hosts(kata)) >= 4
    for bug in bugs(kata):
        lines = host(kata, bug.host).splitlines()
        assert bug.wrong != lines[bug.line - 1]
        assert bug.mistake in page_names()
        assert bug.level in LEVELS
        ast.parse("\n".join([*lines[: bug.line - 1], bug.wrong, *lines[bug.line :]]))


@pytest.mark.parametrize("kata", KATAS, ids=lambda kata: kata.id)
def test_hosts_are_others(kata) -> None:
    """No right file that bugs are planted in is the model answer."""
    answer = ast.dump(ast.parse(kata.solution()))
    assert all(ast.dump(ast.parse(host(kata, name))) != answer for name in hosts(kata))


def test_same_seed_same_file() -> None:
    """The same order gives the same file, another seed another one."""
    assert exercise().text == exercise().text
    assert len({exercise(seed).text for seed in range(12)}) > 8


@pytest.mark.parametrize("count", [1, 2, 3])
def test_read_back(tmp_path, count) -> None:
    """A file's first line is all it takes to know its bugs again, also in another form."""
    for form in (0, 2):
        one = worked_out(Order(kata=MHA, seed=5, count=count, form=form))
        if one is not None:
            assert exercise_in(written(tmp_path, one)) == one
            assert len(one.planted) == count


@pytest.mark.parametrize("first", ["import torch", "# attn-kata: mha", "# attn-kata: mha debug 3"])
def test_without_its_line(tmp_path, first) -> None:
    """A file without its seed line, or with another's key, is no exercise."""
    one = exercise()
    file = tmp_path / "mine.py"
    file.write_text("\n".join([first, *one.lines[1:]]), "utf-8")
    assert exercise_in(file) is None
    file.write_text(one.text.replace(one.lines[0][-6:], "000000"), "utf-8")
    assert exercise_in(file) is None


def test_bugs_stand_apart() -> None:
    """Bugs stand on lines of their own under names of their own; mended, the file is the host."""
    for seed in range(10):
        one = exercise(seed, 3)
        assert len({each.line for each in one.planted}) == 3
        assert len({each.mistake for each in one.planted}) == 3
        right = one.mended(0, 1, 2).splitlines()[1:]
        assert right in [host(MHA, name).splitlines() for name in hosts(MHA)]


@pytest.mark.parametrize("level", LEVELS)
def test_level(level) -> None:
    """All bugs are of the level that was asked for."""
    one = exercise(1, 1, level=level)
    assert [each.level for each in one.planted] == [level]


def test_what_is_not_installed(monkeypatch, history) -> None:
    """A kata whose package is missing is not handed out, and the refusal says which it is."""
    monkeypatch.setattr("attn_kata.kata.catalogue.find_spec", lambda _: None)
    with pytest.raises(Refusal, match="kata-lacking"):
        rounds.kata_for("triton-softmax", history)
    assert not rounds.kata_for(None, history).lacking


def test_too_many() -> None:
    """A refusal says how many bugs there can be, and the command that asks for so many."""
    with pytest.raises(Refusal) as refusal:
        rounds.possible(MHA, 9, "")
    assert refusal.value.values["most"] == most(MHA, "") == MOST
    assert refusal.value.commands == (f"debug mha --bugs {MOST}",)
    for count in (0, -1):
        with pytest.raises(Refusal, match="debug-too-many"):
            rounds.possible(MHA, count, "")


@pytest.mark.costly
def test_other_form() -> None:
    """In another form every bug still stands on a line that is known, and nothing else differs."""
    found = [worked_out(Order(kata=MHA, seed=2, count=2, form=form)) for form in (1, 2)]
    formed = [one for one in found if one is not None]
    assert formed
    for one in formed:
        assert one.text != exercise(2, 2).text
        mended = one.mended(0, 1).splitlines()
        differ = [at for at, row in enumerate(one.lines, 1) if row != mended[at - 1]]
        assert differ == [each.line for each in one.planted]


def judge_of(one, *, right_lines=()):
    """Stand in for the judge: what passes is the right file, with these lines in any place."""
    right = set(one.mended(*range(len(one.planted))).splitlines()) | set(right_lines)
    return lambda text: PASSES if set(text.splitlines()) <= right else FAILS


def changed(one, line, text):
    """The exercise with a line written otherwise."""
    lines = list(one.lines)
    lines[line - 1] = text
    return "\n".join(lines) + "\n"


def test_mending_counts() -> None:
    """A mended bug is counted, in whatever way it was mended; one that is left is not."""
    one = exercise()
    first = one.planted[0]
    found = mending(one, one.mended(0), FAILS, judge_of(one))
    assert (found.bugs, found.mended, found.lines, found.broken) == (2, 1, [first.line], [])
    other = "        something_else = as_right"
    text = changed(one, first.line, other)
    found = mending(one, text, FAILS, judge_of(one, right_lines=[other]))
    assert found.mended == 1
    assert mending(one, one.text, FAILS, judge_of(one)).mended == 0
    assert mending(one, one.mended(0, 1), PASSES, judge_of(one)).mended == 2


def test_mending_names_what_is_broken() -> None:
    """A right line that was changed is told; where it is wrong now it is named on its line."""
    one = exercise()
    free = next(
        at for at in range(2, len(one.lines)) if at not in {each.line for each in one.planted}
    )
    judge = judge_of(one)
    named = replace(FAILS, diagnosis=[Diagnosis(mistake="scale-missing", message="", line=free)])
    text = changed(one, free, "broken = here")
    found = mending(one, text, FAILS, lambda text: PASSES if judge(text) is PASSES else named)
    assert [(each.mistake, each.line) for each in found.broken] == [("scale-missing", free)]
    assert found.changed == [free]
    harmless = mending(one, text, FAILS, judge_of(one, right_lines=["broken = here"]))
    assert (harmless.broken, harmless.changed) == ([], [free])


def test_unreadable_is_not_taken_apart() -> None:
    """Of a file that is no Python nothing is said to be mended, or right as it was changed."""
    report = replace(FAILS, verdict="error", error=Fault(kind="syntax", message=""))
    found = mending(exercise(), "def (", report, judge_of(exercise()))
    assert (found.mended, found.changed) == (0, [])


def test_veiled() -> None:
    """What is shown of an exercise names no bug and quotes no line."""
    one = exercise()
    told = Diagnosis(mistake="scale-missing", message="line 4", line=4)
    report = replace(
        FAILS, diagnosis=[told], checks=[Check(id="values", status="fail", detail="x")]
    )
    assert veiled(report) == report
    shown = veiled(replace(report, debug=mending(one, one.text, report, judge_of(one))))
    assert (shown.diagnosis, shown.checks[0].detail) == ([], "")


def test_claims(tmp_path, history) -> None:
    """A claim is right by its line, and by its name where it has one; each wrong one counts."""
    one = exercise()
    file = written(tmp_path, one)
    first = one.planted[0]
    said = [
        rounds.claim(text, file, one, history).claim.verdict
        for text in ("2", f"{first.line} norm-added", f"line {first.line} {first.mistake}",
                     f"{first.line}, which divides by the wrong width")
    ]  # fmt: skip
    assert said == ["wrong", "other-name", "right", "again"]
    last = rounds.claim("3", file, one, history)
    assert (last.right, last.wrong, last.bugs) == (1, 3, 2)
    with pytest.raises(Refusal, match="debug-say-what"):
        rounds.claim("somewhere", file, one, history)
    with pytest.raises(Refusal, match="debug-no-line"):
        rounds.claim("4000: the wrong axis", file, one, history)
    with pytest.raises(Refusal, match="debug-no-such"):
        rounds.claim("3 no-such-mistake-at-all", file, one, history)


def test_a_wrong_claim_counts_once(tmp_path, history) -> None:
    """Saying the same wrong thing again is no other guess, whatever words go with it."""
    one = exercise()
    file = written(tmp_path, one)
    wrong = one.planted[0]
    names = [name for name in sorted(page_names()) if name != wrong.mistake]
    other = f"{wrong.line} {names[0]}"
    said = ["2", "2", "2: the axis", other, other, f"{wrong.line} {names[1]}"]
    verdicts = [rounds.claim(text, file, one, history).claim.verdict for text in said]
    assert verdicts == [
        "wrong", "again-wrong", "again-wrong", "other-name", "again-wrong", "other-name"
    ]  # fmt: skip
    assert held(history.story())[-1].wrong == 3


def test_claims_follow_lines(tmp_path, history) -> None:
    """A claim is about the line of the file as it is now, wherever it has moved to."""
    one = exercise()
    text = one.text.replace("\n", "\n# a note\n", 1)
    assert line_handed_out(one, text, one.planted[0].line + 1) == one.planted[0].line
    assert line_handed_out(one, text, 2) is None
    file = tmp_path / "debug_mha.py"
    file.write_text(text, "utf-8")
    assert rounds.claim(str(one.planted[0].line + 1), file, one, history).claim.verdict == "right"


def test_hints(history) -> None:
    """Hints on a bug go from its area to its function to its line, then to the next bug."""
    one = exercise()
    found = [rounds.hint(one, history) for _ in range(7)]
    assert [each.step for each in found] == ["area", "step", "line"] * 2 + ["over"]
    assert found[2].line == one.planted[0].line
    assert found[5].line == one.planted[1].line


def test_hints_leave_out_what_was_claimed(tmp_path, history) -> None:
    """A bug that was claimed rightly gets no hint more; what is said before stays counted."""
    one = exercise()
    file = written(tmp_path, one)
    assert rounds.hint(one, history).number == 1
    rounds.claim(str(one.planted[0].line), file, one, history)
    found = [rounds.hint(one, history) for _ in range(4)]
    assert [(each.step, each.number) for each in found] == [
        ("area", 2), ("step", 2), ("line", 2), ("over", 0)
    ]  # fmt: skip


def begun(history, one, file):
    """Note that an exercise was begun."""
    rounds._note(history, "debug", one, order=one.order.said, file=str(file))


def test_answer_ends_it(tmp_path, history, monkeypatch) -> None:
    """What was neither claimed nor touched is missed, and is planted more often after that."""
    one = exercise()
    file = written(tmp_path, one)
    begun(history, one, file)
    first, second = one.planted
    rounds.claim(f"{first.line}: the wrong width", file, one, history)
    done = rounds.answered(file, one, history)
    assert done.words == {first.line: "the wrong width"}
    assert done.missed == (second.mistake,)
    with pytest.raises(Refusal, match="debug-ended"):
        rounds.claim(str(second.line), file, one, history)
    with pytest.raises(Refusal, match="debug-ended"):
        rounds.hint(one, history)
    before = wrong_before(history.story())
    assert before == Counter({second.mistake: 1})
    # The same seeds each time: of those that are drawn, none may have it.
    monkeypatch.setattr(random, "SystemRandom", lambda: random.Random(1))
    _, again = handing.drawn_seed(MHA, 3, "", before)
    assert again
    assert not handing.drawn_seed(MHA, 3, "", Counter())[1]


def test_no_kata_is_passed(tmp_path, history) -> None:
    """A mended exercise is solved, and says nothing of whether the kata can be written."""
    one = exercise()
    file = written(tmp_path, one)
    begun(history, one, file)
    history.add(
        Attempt(kata="mha", file=str(file), verdict="pass", mistakes=(), elapsed_ms=1, seed=1,
                source_hash=None, asked_by="debug")
    )  # fmt: skip
    assert history.standing() == {}
    assert sittings(history.story()) == []
    assert [(each.solved, each.clean) for each in held(history.story())] == [(True, True)]
    with pytest.raises(Refusal, match="debug-solved"):
        rounds.claim("2", file, one, history)
    # The same one begun again starts from nothing.
    begun(history, one, file)
    assert rounds.claim(str(one.planted[0].line), file, one, history).claim.verdict == "right"


def test_due(history, set_clock, tmp_path) -> None:
    """An exercise left or answered is due the next day, one solved cleanly after three."""
    day = 86400.0
    one = exercise()
    file = tmp_path / "x.py"
    set_clock(10 * day)
    begun(history, one, file)
    assert due_bugs(history.story()) == []
    set_clock(11 * day)
    assert [each.why for each in due_bugs(history.story())] == ["unfinished"]
    history.add(
        Attempt(kata="mha", file=str(file), verdict="pass", mistakes=(), elapsed_ms=1, seed=1,
                source_hash=None, asked_by="debug")
    )  # fmt: skip
    set_clock(12 * day)
    assert due_bugs(history.story()) == []
    set_clock(14.5 * day)
    assert [each.why for each in due_bugs(history.story())] == ["review"]
    history.note(Event(kata="mha", kind="debug", detail='{"key": "aaaaaa", "file": "/y.py"}'))
    history.note(
        Event(kata="mha", kind="debug-answer", detail='{"key": "aaaaaa", "missed": ["norm-eps"]}')
    )
    set_clock(16 * day)
    found = due_bugs(history.story())
    assert [(each.why, each.missed) for each in found] == [("missed", ("norm-eps",))]


def report(verdict="fail", failing=(), kata="mha", **more):
    """A report on which these checks fail."""
    checks = [Check(id=name, status="fail") for name in failing]
    return Report(kata=kata, file="x.py", verdict=verdict, checks=checks, **more)


@pytest.mark.parametrize(
    ("given", "key", "level"),
    [
        (report(failing=["values"], difference=Difference(case="batch 1, length 2")),
         "symptom-values-case", "mid"),
        (report(failing=["values"], difference=Difference(case="batch 2, length 2")),
         "symptom-values-case", "mid"),
        (report(failing=["values"], difference=Difference(case="batch 2, length 2"),
                diagnosis=[Diagnosis(mistake="batch-mixed", message="")]),
         "symptom-values-case", "senior"),
        (report(failing=["shape"]), "symptom-some-shape", "junior"),
        (report(failing=["gradients"]), "symptom-gradients", "senior"),
        (report(failing=["mask"]), "symptom-mask", "mid"),
        (report(failing=["values"], kata="minigpt", functions=[Part(name="train", status="fail")]),
         "symptom-part", "mid"),
        (report(failing=["values"], kata="minigpt", functions=[
            Part(name="train", status="fail", message=Message("fail-values", {
                "failed": 2, "cases": 8, "case": Message("listed", {"parts": ["batch 2"]})})),
            Part(name="generate", status="pass")]),
         "symptom-part-cases", "mid"),
        (report(failing=["stability"], kata="alibi", functions=[
            Part(name="slopes", status="pass"),
            Part(name="attention", status="fail", message=Message("fail-values", {
                "failed": 2, "cases": 8, "case": Message("listed", {"parts": [
                    "batch 2", Message("case-gain", {"gain": 30.0})]})}))]),
         "symptom-part-large", "senior"),
        (report(failing=["gradients"], kata="alibi", functions=[
            Part(name="slopes", status="pass"),
            Part(name="attention", status="fail", message=Message("fail-detached", {}))]),
         "symptom-part-gradients", "senior"),
        (report(failing=["dropout"], kata="minigpt", functions=[
            Part(name="GPT", status="fail", message=Message("dropout-missing", {}))]),
         "symptom-part-dropout", "senior"),
        (report(failing=["shape"], kata="alibi", functions=[
            Part(name="slopes", status="fail", message=Message("fail-shape", {
                "case": "heads 4", "actual": "(1, 4)", "expected": "(4,)"})),
            Part(name="attention", status="pass")]),
         "symptom-part-shape", "junior"),
        (report(failing=["dtypes"], crash=Crash(check="dtypes", message="x")),
         "symptom-dtypes-raises", "senior"),
        (report("error", error=Fault(kind="forward", message="raised RuntimeError at line 3: x")),
         "symptom-raises", "junior"),
        (report("error", kata="minigpt", error=Fault(kind="forward", message="raised IndexError"),
                functions=[Part(name="MiniGPT", status="pass"),
                           Part(name="generate", status="fail", message="raised IndexError")]),
         "symptom-part", "junior"),
    ],
)  # fmt: skip
def test_symptoms(given, key, level) -> None:
    """What is said of a file follows from what the judge saw, and so does its level."""
    assert symptoms(given)[0].key == key
    assert level_of(given) == level
    assert all(symptom_text(one, language) for one in symptoms(given) for language in ("en", "zh"))


def test_what_is_seen_beside_the_numbers_is_told() -> None:
    """A part's sentence is about one thing; a device that fails is told all the same."""
    parts = [
        Part(name="MiniGPT", status="fail", message=Message("fail-gradients", {})),
        Part(name="train", status="pass"),
    ]
    told = [one.key for one in symptoms(
        report(failing=["gradients", "device"], kata="minigpt", functions=parts))]  # fmt: skip
    assert told == [
        "symptom-part-gradients", "symptom-also-device", "symptom-rest", "symptom-own",
    ]  # fmt: skip


def test_every_check_has_a_symptom() -> None:
    """Each check that can fail has a sentence of its own."""
    from attn_kata.checker.report.ids import CHECK_IDS

    assert [name for name in CHECK_IDS if name != "shape" and not knows(f"symptom-{name}")] == []
    assert symptoms(PASSES) == []


def test_every_bug_is_found_in_turn() -> None:
    """A set is handed out only where each bug is named on its line, until all are mended."""
    one = exercise()
    texts = [one.text, one.mended(0), one.mended(0, 1)]
    told = [
        replace(FAILS, diagnosis=[Diagnosis(mistake=each.mistake, message="", line=each.line)])
        for each in one.planted
    ]
    answers = dict(zip(texts, [*told, PASSES], strict=True))
    assert handing.found_in_turn(one, answers.__getitem__) is told[0]
    answers[texts[1]] = told[0]
    assert handing.found_in_turn(one, answers.__getitem__) is None
    answers[texts[1]] = PASSES
    assert handing.found_in_turn(one, answers.__getitem__) is None


@pytest.mark.costly
def test_unproved_draws_are_passed_over() -> None:
    """Where the judge finds no draw whole, that is said and nothing is handed out."""
    with pytest.raises(handing.Unproved):
        handing.proved(Order(kata=find("v1"), seed=1, count=1), lambda _: FAILS)


def test_by_bench_judges_a_text_once() -> None:
    """A text is judged under its kata; the same text is not judged twice."""
    asked = []

    def judge(kata, files, options):
        asked.append((kata, files[0].read_text("utf-8"), options.seed))
        yield PASSES

    bench = cast("handing.Judges", SimpleNamespace(judge=judge))
    judging = handing.by_bench(bench, MHA)
    assert judging("x = 1") is judging("x = 1") is PASSES
    assert asked == [("mha", "x = 1", 11)]


@pytest.mark.parametrize("failing", [2, 3])
def test_another_seed_where_one_has_none(monkeypatch, failing):
    """A seed that nobody chose gives way to another, twice."""
    asked = []

    def judge(text):
        raise AssertionError(text)

    def proved(order, judge):
        asked.append(order.seed)
        if len(asked) <= failing:
            raise handing.Unproved(order.seed)
        return judge

    monkeypatch.setattr(handing, "proved", proved)
    order = Order(kata=MHA, seed=0, count=3)
    if failing == 2:
        assert handing.drawn(order, Counter(), judge) == (judge, False)
    else:
        with pytest.raises(handing.Unproved):
            handing.drawn(order, Counter(), judge)
    assert len(asked) == 3


@pytest.mark.costly
def test_the_same_file_in_every_process() -> None:
    """Another process, whose sets have another order, works out the same files."""
    orders = [("block", 0, 1, 6), ("gqa", 2, 3, 2), ("v3", 1, 2, 6), ("mha", 4, 2, 3)]
    script = (
        "import sys; from attn_kata.kata.catalogue import find\n"
        "from attn_kata.practice.debug.exercise import Order, worked_out\n"
        f"for kata, seed, count, form in {orders}:\n"
        "    one = worked_out(Order(kata=find(kata), seed=seed, count=count, form=form))\n"
        "    print(one and one.lines[0])\n"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": str(seed)},
            check=True, capture_output=True, text=True,
        ).stdout
        for seed in (0, 7)
    }  # fmt: skip
    assert len(told) == 1
    assert "block debug 0" in told.pop()
