"""The clock goes on, whatever is done to the machine, and says what was."""

import pytest
from attn_kata.practice.interview import clock


def seen(hands, *turns):
    """Read the clocks before and after each turn."""
    readings = [hands.read()]
    for turn in turns:
        turn()
        readings.append(hands.read())
    return readings


def kinds(readings):
    """What is said of the readings."""
    return {one.kind: one.seconds for one in clock.oddities(readings)}


def test_time_passes(hands):
    """A minute is a minute, and nothing is odd about it."""
    readings = seen(hands, lambda: hands.go_on(60))
    assert clock.elapsed(readings) == 60
    assert kinds(readings) == {}


@pytest.mark.parametrize(("by", "kind"), [(-3600, "back"), (3600, "forward")])
def test_setting_the_wall_clock_changes_nothing(hands, by, kind):
    """Whoever sets the clock gains and loses nothing, and the report says so."""
    readings = seen(hands, lambda: hands.go_on(60), lambda: hands.turn(wall=by))
    assert clock.elapsed(readings) == 60
    assert kinds(readings) == {kind: 3600}


def test_sleep_counts(hands):
    """A suspended machine does not stop the clock, and the report says how long it slept."""
    readings = seen(hands, lambda: hands.turn(wall=600, steady=600))
    assert clock.elapsed(readings) == 600
    assert kinds(readings) == {"suspended": 600}


def test_restart_is_bridged_by_the_wall_clock(hands):
    """Across a restart only the wall clock is left to ask."""
    readings = seen(hands, lambda: hands.go_on(60), lambda: hands.boot("two", wall=90))
    assert clock.elapsed(readings) == 150
    assert kinds(readings) == {"restarted": 90}


def test_restart_into_the_past_gives_no_time_back(hands):
    """A restart with the clock set back counts as no time, never as less."""
    readings = seen(hands, lambda: hands.go_on(60), lambda: hands.boot("two", wall=-500))
    assert clock.elapsed(readings) == 60
    assert kinds(readings) == {"restarted": 0, "back": 500}


def test_steady_going_backwards_is_a_restart(hands):
    """Where no boot has a name, a steady clock that begins anew tells of one."""
    readings = seen(hands, lambda: hands.boot("one", wall=30))
    assert clock.elapsed(readings) == 30


def test_this_machine_is_read():
    """The real clocks give a reading, and time does not run backwards."""
    first, second = clock.read(), clock.read()
    assert clock.since(first, second) >= 0
    assert clock.oddities([first, second]) == []
