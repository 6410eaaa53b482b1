"""What happened is told as sittings, and the sittings say what to write again, and when."""

import pytest
from attn_kata.cli import main
from attn_kata.kata.catalogue import find, katas
from attn_kata.practice import clock
from attn_kata.practice.clock import DAY, believed
from attn_kata.practice.history import Attempt, Event, History
from attn_kata.practice.schedule import drills, due, following, rating, standings
from attn_kata.practice.sittings import sittings
from attn_kata.practice.summary import streak, summary

NOON = 1_767_614_400.0  # a Monday, in Greenwich


def at(days=0.0, minutes=0.0):
    """Return a moment so many days and minutes after the first."""
    return NOON + days * DAY + minutes * 60


def tried(verdict, time, kata="v1", source="a", mistakes=(), asked_by="check"):
    """Make an attempt."""
    return Attempt(
        kata=kata, file=f"{kata}.py", verdict=verdict, mistakes=tuple(mistakes), elapsed_ms=100,
        seed=1, source_hash=source, asked_by=asked_by, time=time,
    )  # fmt: skip


def event(kind, time, kata="v1"):
    """Make an event."""
    return Event(kata=kata, kind=kind, time=time)


def written(time, kata="v1", minutes=6.0, slips=0, mistake="scale-missing"):
    """Tell of a kata that was started and passed so many minutes later, after so many slips."""
    wrong = [
        tried("fail", time + 10 * (slip + 1), kata, f"{time}-{slip}", [mistake])
        for slip in range(slips)
    ]
    passed = tried("pass", time + minutes * 60, kata, f"{time}")
    return [event("start", time, kata), *wrong, passed]


@pytest.mark.parametrize(
    ("times", "present", "wanted"),
    [
        ([], 9, []),
        ([1, 2, 2, 5], 9, [1, 2, 2, 5]),
        # Set ahead for one check, then right again.
        ([1, 2, 70, 3, 4], 9, [1, 2, 2, 3, 4]),
        # Set back for one check, then right again.
        ([4, 5, 0, 6, 7], 9, [4, 5, 5, 6, 7]),
        # Set back for good: what was stamped later than now happened now at the latest.
        ([50, 60, 3], 4, [3, 3, 3]),
        ([50, 60], 4, [4, 4]),
    ],
)
def test_times_that_cannot_be(times, present, wanted):
    """A clock that was wrong for a while moves nothing into the future, nor out of order."""
    assert believed(times, present) == wanted


@pytest.mark.parametrize(
    ("story", "wanted"),
    [
        (written(at(), minutes=3), "easy"),
        (written(at(), minutes=6), "good"),
        (written(at(), minutes=9), "hard"),
        (written(at(), slips=1), "hard"),
        (written(at(), slips=5), "again"),
        ([event("start", at()), event("hint", at(0, 1)), tried("pass", at(0, 2))], "hard"),
        ([event("start", at()), event("solution", at(0, 1)), tried("pass", at(0, 2))], "again"),
        # Hours away from the desk: how long it took is not known, so it was not quick.
        ([event("start", at()), tried("pass", at(0, 300))], "good"),
        # Not from a stub: it may have been pasted.
        ([tried("pass", at())], "hard"),
        ([event("start", at()), tried("fail", at(0, 1))], "again"),
        # What does not run yet is work in progress, and the stub as it was is nothing.
        ([event("start", at()), tried("error", at(0, 1)), tried("pass", at(0, 2))], "easy"),
        ([event("start", at()), event("hint", at(0, 1)), tried("fail", at(0, 2)),
          tried("pass", at(0, 20))], "again"),
    ],
)  # fmt: skip
def test_rating(story, wanted):
    """A sitting is rated by what happened in it, against the kata's minutes (8 for v1)."""
    (sitting,) = sittings(story)
    assert rating(sitting, find("v1").minutes) == wanted


def test_what_is_one_sitting():
    """A second check of passed code is none; polish is none; a stub or other work is one."""
    polished = [*written(at()), tried("pass", at(0, 7), source=f"{at()}"),
                tried("fail", at(0, 9), source="polish"), event("solution", at(0, 10))]  # fmt: skip
    assert len(sittings(polished)) == 1
    assert sittings(polished)[0].solution is False
    assert len(sittings([*polished, *written(at(1))])) == 2
    assert len(sittings([*polished, tried("pass", at(2), source="new")])) == 2
    assert sittings([tried("pass", at(), asked_by="batch")]) == []


def test_stub_is_no_attempt(tmp_path):
    """Judging what was handed out, as watch does, counts for nothing."""
    import hashlib

    stub = hashlib.sha256(find("v1").stub().encode()).hexdigest()
    (sitting,) = sittings([event("start", at()), tried("error", at(0, 1), source=stub)])
    assert not sitting.tried
    assert standings([sitting])["v1"].state == "new"


def test_a_simulated_month(set_clock):
    """Whoever writes a kata well each time it is due sees it less and less often."""
    story = written(at())
    gaps, last = [], 0
    for day in range(1, 31):
        set_clock(at(day))
        if any(one.kata.id == "v1" for one in due(sittings(story))):
            gaps.append(day - last)
            last = day
            story += written(at(day))
    assert gaps[0] in {1, 2, 3}
    assert len(gaps) >= 2
    assert gaps == sorted(gaps)
    # A day missed at the end makes it due, and the longer, the less likely it is known.
    set_clock(at(90))
    (one,) = due(sittings(story))
    assert one.why == "review"
    assert one.standing.recall is not None
    assert one.standing.recall < 0.9


def test_a_month_with_lapses(set_clock):
    """A kata that is got wrong, given up or spoiled comes back the sooner."""
    good, bad = written(at()), written(at(), slips=6)
    assert sum(_dues(good, set_clock)) < sum(_dues(bad, set_clock))
    given_up = [*written(at()), event("start", at(3)), tried("fail", at(3, 2), source="x"),
                *written(at(3.5))]  # fmt: skip
    kept = [*written(at()), *written(at(3.5))]
    set_clock(at(4))
    soon, late = (standings(sittings(story))["v1"].due for story in (given_up, kept))
    assert soon is not None
    assert late is not None
    assert soon < late


def _dues(story, set_clock):
    """Say for each day of a month whether the kata is due, if nothing more is done."""
    found = []
    for day in range(30):
        set_clock(at(day))
        found.append(any(one.kata.id == "v1" for one in due(sittings(story))))
    return found


@pytest.mark.parametrize("jump", [-400, -20, 400])
def test_clock_set_wrong(set_clock, tmp_path, jump):
    """However the clock jumps, nothing is due further away than a half year from today."""
    set_clock(at(40))
    history = History(tmp_path)
    for moment in (*written(at(0)), *written(at(5)), *written(at(20 + jump)), *written(at(39))):
        history.add(moment) if isinstance(moment, Attempt) else history.note(moment)
    for today in (at(40), at(41), at(-300)):
        set_clock(today)
        stand = standings(sittings(history.story()))["v1"]
        assert stand.due is not None
        assert stand.due - today < 181 * DAY
        assert stand.last is not None
        assert stand.last <= today


def test_drill_for_a_habit(set_clock):
    """A mistake made in two sittings brings the kata back in which it was made last."""
    story = [*written(at(), "v3", slips=1), *written(at(0, 60), "mha", slips=1)]
    assert drills(sittings(story)) == {"mha": ("scale-missing", 2)}
    set_clock(at(0, 90))
    assert due(sittings(story)) == []
    set_clock(at(1))
    named = {one.kata.id: (one.why, one.mistake) for one in due(sittings(story))}
    assert named["mha"][1] == "scale-missing"
    mended = [*story, *written(at(1), "mha")]
    assert drills(sittings(mended)) == {}


def test_unfinished_and_following(set_clock):
    """What was tried and left is due the next day, and a pass leads up the ladder."""
    story = [*written(at()), event("start", at(0, 9), "v2"), tried("fail", at(0, 11), "v2")]
    set_clock(at(0, 20))
    assert due(sittings(story)) == []
    set_clock(at(1))
    assert ("v2", "unfinished") in [(one.kata.id, one.why) for one in due(sittings(story))]
    assert following("v1", sittings(story)) is find("v2")
    assert following(katas()[-1].id, sittings(story)) is find("v2")


def test_figures(set_clock):
    """Times, counts, mistakes a week and the streak are what happened."""
    story = [*written(at(-14), slips=2), *written(at(-1), minutes=4), *written(at(), "mha", 12)]
    set_clock(at(0, 30))
    told = summary(story)
    assert (len(told.attempts), told.passed, told.streak) == (5, 3, 2)
    assert told.first_pass["v1"].checks == 3
    assert told.first_pass["v1"].seconds == 360
    assert told.standing["v1"].best == 240
    (habit,) = told.habits
    assert (habit.name, habit.count, habit.weeks) == ("scale-missing", 2, (0, 0, 0, 0, 0, 2, 0, 0))
    assert told.days[-2:] == (1, 1)
    assert set(summary(story, "mha").checks) == {"mha"}
    assert streak([at(-3), at(-2)], clock.day(at())) == 0


def test_commands_over_a_month(set_clock, tmp_path, monkeypatch, capsys):
    """`due` and `start --due` go by the clock, and the file before is kept each time."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ATTN_KATA_HOME", str(tmp_path / "home"))
    set_clock(at())
    assert main(["due"]) == 0
    assert "you have not passed any kata yet" in capsys.readouterr().out
    assert main(["start", "--due"]) == 2
    assert main(["start", "v1"]) == 0
    kept = 0
    for day in range(31):
        set_clock(at(day))
        capsys.readouterr()
        assert main(["due"]) == 0
        if "to write today" in capsys.readouterr().out:
            assert main(["start", "--due"]) == 0
            kept += 1
            assert (tmp_path / f"v1.py.bak{kept}").read_text() == f"written {kept}"
        elif day:
            continue
        (tmp_path / "v1.py").write_text(f"written {kept + 1}")
        set_clock(at(day, 6))
        History().add(tried("pass", clock.now(), source=f"day {day}"))
    assert 2 <= kept <= 8
    capsys.readouterr()
    assert main(["list"]) == 0
    assert "passed  best 6 min  due" in capsys.readouterr().out
    assert main(["history", "v1", "--csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == kept + 2


@pytest.mark.parametrize("slips", [0, 1])
def test_time_counts_from_the_last_start(slips):
    """Who begins anew is as quick as from there, whatever was tried before."""
    slip = [tried("fail", at(minutes=5), source="b")] * slips
    story = [event("start", at()), *slip, *written(at(minutes=20), minutes=3)]
    stand = standings(sittings(story))["v1"]
    assert stand.best == 3 * 60
