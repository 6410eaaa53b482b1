"""How each thing stands that the brief left open: asked in time, guessed right or wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .requirements import DRAWN, matters
from .session import Session

__all__ = ["Standing", "clarity"]

# A mistake that shows what was misunderstood, also where the check that would prove it was not
# reached.
_SHOWS = {
    "mask-inverted": "meaning",
    "mask-added": "meaning",
    "mask-multiplied": "meaning",
    "mask-dtype": "entries",
    "output-projection-missing": "output",
    "dropout-missing": "dropout",
    "dropout-rate-wrong": "dropout",
    "dropout-on-output": "dropout",
    "dropout-before-softmax": "dropout",
    "dtype-hardcoded": "precision",
    "device-hardcoded": "precision",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a drawn topic stands.

    how: asked, guessed (right), wrong, open (not asked, and nothing shows what was guessed)
    or never (its step was not reached). text: the question that asked for it.
    """

    topic: str
    how: str
    text: str = ""


def clarity(session: Session) -> list[Standing]:
    """Return how each topic that was drawn stands, in the order of the topics."""
    found: list[Standing] = []
    for topic in DRAWN:
        tiers = [
            at
            for at, stage in enumerate(session.stages)
            if stage.left_open and matters(topic, stage.tier.kata, session.drawn)
        ]
        if tiers:
            how, text = _how(session, topic, tiers)
            found.append(Standing(topic=topic, how=how, text=text))
    return found


def _how(session: Session, topic: str, tiers: list[int]) -> tuple[str, str]:
    first = next((at for at in tiers if _reached(session, at)), None)
    if first is None:
        return "never", ""
    asked = session.asked_before(topic, first)
    if asked is not None:
        return "asked", asked.text
    tried = [one for one in session.submissions if one.tier in tiers and one.judged]
    if any(_against(topic, one.report, one.outcome) for one in tried):
        return "wrong", ""
    return "guessed" if any(session.stages[at].passed for at in tiers) else "open", ""


def _reached(session: Session, at: int) -> bool:
    return any(one.tier == at for one in session.submissions)


def _against(topic: str, report: dict[str, Any], outcome: dict[str, list[str]]) -> bool:
    """Whether a submission shows that a topic was guessed wrong."""
    if topic in outcome["missed"]:
        return True
    if any(_SHOWS.get(one["mistake"]) == topic for one in report.get("diagnosis", ())):
        return True
    failing = {check["id"] for check in report["checks"] if check["status"] == "fail"}
    if topic == "meaning":
        return "mask" in failing
    return topic == "precision" and bool(failing & {"dtypes", "device"} - set(outcome["forgiven"]))
