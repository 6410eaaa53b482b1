"""Dates and durations as one says them."""

from __future__ import annotations

from datetime import date

from ..practice import clock
from .words import say

__all__ = ["ago", "day_text", "duration", "in_days", "seconds_taken", "short_time"]


def day_text(day: date, language: str) -> str:
    """Write a date without its year: 21 Nov."""
    month = say("months", language).split()[day.month - 1]
    return say("date", language, day=day.day, month=month)


def ago(moment: float, language: str) -> str:
    """Write a moment of the past: today, yesterday, 9 days ago."""
    days = (clock.day(clock.now()) - clock.day(moment)).days
    if days <= 0:
        return say("today", language)
    return say("yesterday", language) if days == 1 else say("days-ago", language, count=days)


def in_days(moment: float, language: str) -> str:
    """Write a moment to come: today, tomorrow, in 3 days, 21 Nov."""
    day = clock.day(moment)
    days = (day - clock.day(clock.now())).days
    if days <= 0:
        return say("today", language)
    if days == 1:
        return say("tomorrow", language)
    return say("in-days", language, count=days) if days < 14 else day_text(day, language)


def seconds_taken(milliseconds: int) -> str:
    """Write the seconds that judging took: nothing takes none."""
    return f"{max(0.1, milliseconds / 1000):.1f}"


def duration(seconds: float, language: str) -> str:
    """Write a duration as one would say it: 40 s, 12 min, 1 h 5 min."""
    if seconds < 60:
        return say("seconds", language, count=max(1, round(seconds)))
    minutes = round(seconds / 60)
    if minutes < 60:
        return say("minutes", language, count=minutes)
    return say("hours", language, hours=minutes // 60, minutes=minutes % 60)


def short_time(moment: float, language: str) -> str:
    """Write a moment to the minute: 21 Nov 22:13."""
    day = clock.day(moment)
    return f"{day_text(day, language)} {clock.hour(moment)}"
