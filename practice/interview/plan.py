"""The plans: what an interviewer asks for, step by step, and for how long."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import Enum
from typing import Any

from ...kata.catalogue import Kata, find, katas
from ..errors import Refusal
from ..recognise import kata_called
from .texts import FOLDER, table

__all__ = ["Level", "Plan", "Tier", "further", "plan_called", "plan_names"]

# A plan of one's own has so many steps at most.
_STEPS = 6


class Level(str, Enum):
    """What the interview is for, from the least to the most. The banks know junior and senior."""

    junior = "junior"
    mid = "mid"
    senior = "senior"
    staff = "staff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """One step of an interview: what is asked, and the kata that judges it.

    weight: how much it counts against the others. questions: how many follow from the
    kata's bank, after the open one. bugs: how many are to be found, in a file that is handed out;
    0 where code is to be written. drawn_from: katas of which a seed draws the one of this step.
    """

    id: str
    kata: Kata
    weight: int
    questions: int
    title: Mapping[str, str]
    ask: Mapping[str, str]
    bugs: int = 0
    drawn_from: tuple[Kata, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """An interview. closing: how many questions come at its end, from the katas' banks."""

    id: str
    minutes: int
    closing: int
    closing_from: tuple[Kata, ...]
    title: Mapping[str, str]
    opening: Mapping[str, str]
    tiers: tuple[Tier, ...]

    def drawn(self, seed: int) -> Plan:
        """Return the plan with the katas that a seed draws, in the steps that leave it open."""
        chance = random.Random(f"katas {seed}")  # noqa: S311 - a draw, not a secret
        return replace(self, tiers=tuple(_drawn(tier, chance) for tier in self.tiers))


def plan_names() -> tuple[str, ...]:
    """Return the plans' names, the ladder first."""
    found = sorted(path.stem for path in (FOLDER / "plans").glob("*.toml"))
    return tuple(sorted(found, key=lambda name: name != "ladder"))


def plan_called(name: str) -> Plan:
    """Return a plan, or one made of katas, as in `v4,gqa`; raise Refusal with the nearest names."""
    names = plan_names()
    if "," in name:
        return _own(name)
    if name not in names:
        near = tuple(f"`{one}`" for one in get_close_matches(name, names, n=2, cutoff=0.65))
        key = "no-plan-near" if near else "no-plan"
        notes = (("plans", " ".join(names)),)
        commands = (f"interview --plan {names[0]}",)
        raise Refusal(key, name=name, nearest=near, notes=notes, commands=commands)
    data = table(f"plans/{name}.toml")
    return Plan(
        id=name,
        minutes=data["minutes"],
        closing=data["closing"],
        closing_from=tuple(find(kata) for kata in data["closing_from"]),
        title=data["title"],
        opening=data["opening"],
        tiers=tuple(_tier(row, name) for row in data["tier"]),
    )


def further(kata: Kata) -> Tier:
    """Return a step beyond a plan, on this kata."""
    return _step(kata, "more")


def _tier(row: Mapping[str, Any], plan: str) -> Tier:
    """Return a step of a plan's file; `kata` is one kata, or several to draw from.

    Katas that name the plan themselves are drawn where it draws, but with bugs to be found.
    """
    names = [row["kata"]] if isinstance(row["kata"], str) else row["kata"]
    some = [find(name) for name in names]
    if len(some) > 1 and not row.get("bugs"):
        some += [kata for kata in katas() if kata.interview == plan and not kata.lacking]
    return Tier(
        id=row["id"],
        kata=some[0],
        weight=row["weight"],
        questions=row["questions"],
        title=row["title"],
        ask=row["ask"],
        bugs=row.get("bugs", 0),
        drawn_from=tuple(some),
    )


def _drawn(tier: Tier, chance: random.Random) -> Tier:
    """A step on the kata that is drawn, whose title its words may name."""
    if len(tier.drawn_from) < 2:
        return tier
    kata = chance.choice(tier.drawn_from)
    ask = {language: text.format(title=kata.title[language]) for language, text in tier.ask.items()}
    return replace(tier, kata=kata, ask=ask)


def _own(name: str) -> Plan:
    """Return the plan that is made of the katas named, as long as these take."""
    chosen = [kata_called(one.strip()) for one in name.split(",") if one.strip()]
    if not 0 < len(chosen) <= _STEPS or len(set(chosen)) < len(chosen):
        raise Refusal("own-plan", count=_STEPS, commands=("interview --plan v4,gqa,kvcache",))
    rows = table("steps.toml")["own"]
    values = {"katas": ", ".join(kata.id for kata in chosen), "steps": len(chosen)}
    return Plan(
        id=",".join(kata.id for kata in chosen),
        minutes=sum(kata.minutes for kata in chosen),
        closing=2,
        closing_from=tuple(chosen),
        title={language: text.format(**values) for language, text in rows["title"].items()},
        opening={language: text.format(**values) for language, text in rows["opening"].items()},
        tiers=tuple(_step(kata, "own") for kata in chosen),
    )


def _step(kata: Kata, kind: str) -> Tier:
    ask: Mapping[str, str] = table("steps.toml")[kind]["ask"]
    words = {
        language: {"title": kata.title[language], "summary": kata.summary[language]}
        for language in ask
    }
    return Tier(
        id=kata.id,
        kata=kata,
        weight=1,
        questions=1,
        title=kata.title,
        ask={language: text.format(**words[language]) for language, text in ask.items()},
    )
