"""A clock that stands where a test puts it."""

import time

import pytest
from attn_kata.practice import clock


@pytest.fixture
def set_clock(monkeypatch):
    """Set the time, on Greenwich's calendar."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield lambda moment: monkeypatch.setattr(clock, "now", lambda: moment)
    monkeypatch.undo()
    time.tzset()
