"""Beginning and resuming: what is refused, what is kept, and one interview at a time."""

import math
import os
import sqlite3

import pytest
from attn_kata.practice.errors import Refusal
from attn_kata.practice.interview import opening
from attn_kata.practice.interview.store import Store


@pytest.mark.parametrize("minutes", [0, -5, math.nan, math.inf, 1e9])
def test_minutes_that_are_none(lead, minutes):
    """No time, less than none, and no number are refused."""
    with pytest.raises(Refusal, match="interview-minutes"):
        lead(minutes=minutes)


def test_a_plan_that_is_none(lead):
    """A plan's name that is nearly one is guessed, and the names are told."""
    with pytest.raises(Refusal, match="no-plan-near") as fault:
        lead(plan="lader")
    assert fault.value.values["nearest"] == ("`ladder`",)
    with pytest.raises(Refusal, match="no-plan"):
        lead(plan="x")


def test_one_that_has_not_ended_comes_first(lead):
    """A second interview does not begin over the first; one that never started does not count."""
    lead()
    second = lead()
    second.line("start")
    with pytest.raises(Refusal, match="interview-unfinished"):
        lead()
    second.line("end")
    assert lead().session.number == 3


def test_two_at_once(tmp_path):
    """While one terminal holds the interview, another is refused; then it may."""
    first = opening.only_one(tmp_path)
    first.__enter__()
    with pytest.raises(Refusal, match="interview-running"), opening.only_one(tmp_path):
        pass
    first.__exit__(None, None, None)
    with opening.only_one(tmp_path):
        pass


def test_nothing_to_resume_or_report(lead, tmp_path, hands):
    """Without an interview there is none to go on with, and none to show."""
    with pytest.raises(Refusal, match="interview-none-open"):
        lead(resume=True)
    store = Store(tmp_path / "home")
    with pytest.raises(Refusal, match="interview-none-yet"):
        opening.finished(store, None)
    led = lead()
    with pytest.raises(Refusal, match="interview-not-ended"):
        opening.finished(store, 1)
    with pytest.raises(Refusal, match="interview-no-number"):
        opening.finished(store, 9)
    led.line("start")
    led.line("end")
    assert opening.finished(store, None).number == 1


def test_a_home_that_cannot_be_written(lead, tmp_path, script):
    """The interview goes on, says once what is not kept, and has its result at the end."""
    (tmp_path / "home").write_text("a file")
    led = lead()
    assert "interviews-closed" in script.keys(led.greet())
    assert "interviews-closed" not in script.keys(led.line("start"))
    led.line("end")
    assert led.session.ended == "candidate"
    with opening.only_one(tmp_path / "home"):
        pass


@pytest.mark.parametrize("why", ["broken", "foreign", "newer"])
def test_a_database_that_is_not_ours_is_kept_aside(lead, tmp_path, script, why):
    """What cannot be used gets another name, and is never deleted."""
    folder = tmp_path / "home"
    folder.mkdir()
    file = folder / "interviews.sqlite3"
    if why == "broken":
        file.write_bytes(b"no database at all " * 100)
    else:
        with sqlite3.connect(file) as database:
            database.execute("CREATE TABLE theirs (x)")
            if why == "newer":
                database.execute(f"PRAGMA application_id = {0x61746B69}")
                database.execute("PRAGMA user_version = 99")
        database.close()
    before = file.read_bytes()
    led = lead()
    assert f"interviews-{why}" in script.keys(led.greet())
    assert (folder / f"interviews.sqlite3.{why}-1").read_bytes() == before
    assert Store(folder).numbers() == [1]


def test_a_disk_that_fills_up(lead, tmp_path, script, monkeypatch):
    """A database that fails in the middle is told once, and the interview goes on."""
    led = lead()
    led.greet()

    def full(*_, **__):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(sqlite3, "connect", full)
    assert "interviews-closed" in script.keys(led.line("start"))
    assert led.session.opened
    assert os.path.exists(led.session.file)  # noqa: PTH110


def test_interviews_that_cannot_be_read_are_not_none(tmp_path, hands):
    """Where the database does not open, that is said instead of `no interview`."""
    folder = tmp_path / "home"
    (folder / "interviews.sqlite3").mkdir(parents=True)
    for ask in (opening.resume, lambda store: opening.finished(store, None)):
        with pytest.raises(Refusal, match="interviews-unread"):
            ask(Store(folder))
    (folder / "interviews.sqlite3").rmdir()
    (folder / "interviews.sqlite3").write_bytes(b"no database at all " * 100)
    with pytest.raises(Refusal, match="interviews-broken"):
        opening.resume(Store(folder))


def test_interviews_set_aside_between_two_looks(lead, monkeypatch, hands):
    """An interview that was there a moment ago and is not is refused as one that is not there."""
    led = lead()
    led.line("start")
    monkeypatch.setattr(led.store, "events", lambda _: [])
    with pytest.raises(Refusal, match="interview-none-yet"):
        opening.resume(led.store)


def test_interview_whose_database_breaks_goes_on_in_a_new_one(lead, script):
    """What was set aside in the middle costs the interview nothing: it can be resumed."""
    led = lead()
    led.line("start")
    led.store.path.write_bytes(b"no database at all " * 100)
    assert "interviews-broken" in script.keys(led.line("hint"))
    resumed = lead(resume=True)
    assert resumed.session.file == led.session.file
    assert resumed.session.stages[0].hints == 1
