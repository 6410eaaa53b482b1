"""The score, part by part, and the verdict that follows from it by fixed rules.

code       60 x sum(weight x quality of the tiers passed) / sum(weights)
           quality = 1 - 0.1 a failed submission - 0.1 a hint - 0.1 the first `more`
           - 0.25 the second, and never less than 0.4
questions  25 x sum(points ticked / points) / questions of the plan
clarity    15 x sum(1 asked in time, 0.5 guessed right, 0 otherwise) / topics drawn
"""

from __future__ import annotations

from dataclasses import dataclass

from .questions import kata_of, question_called
from .requirements import DRAWN, matters
from .session import Session, Stage

__all__ = [
    "GRADES",
    "Part",
    "Score",
    "Standing",
    "clarity",
    "failed",
    "following",
    "grade",
    "level",
    "quality",
    "score",
]

_LEAST = 0.4
_SLIP = 0.1
_WHOLE = 0.25
# How much to practise is told at once.
_ROWS = 4

GRADES = ("strong-no", "no", "lean", "yes", "strong-yes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of the score: at most `most`, of which this share was reached."""

    name: str
    most: int
    reached: float
    possible: float

    @property
    def points(self) -> float:
        """What it adds."""
        return self.most * self.reached / self.possible if self.possible else float(self.most)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The parts, and the whole number that they add up to."""

    parts: tuple[Part, ...]

    @property
    def points(self) -> int:
        """The score, 0 to 100."""
        return round(sum(part.points for part in self.parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a drawn topic stands.

    how: asked, guessed (right), wrong, open (not asked, and nothing shows what was guessed)
    or never (its step was not reached).
    """

    topic: str
    how: str


def failed(session: Session, at: int) -> int:
    """Return how many submissions of a tier were turned down; the last look does not count."""
    return sum(
        one.tier == at and one.judged and not one.accepted and not one.last
        for one in session.submissions
    )


def quality(session: Session, at: int) -> float:
    """Return how well a tier was passed, 0 where it was not."""
    stage: Stage = session.stages[at]
    if not stage.passed:
        return 0.0
    told = [one.told for one in session.submissions if one.tier == at]
    slips = failed(session, at) + stage.hints + sum(count >= 1 for count in told)
    whole = sum(count >= 2 for count in told)
    return max(_LEAST, 1 - _SLIP * slips - _WHOLE * whole)


def clarity(session: Session) -> list[Standing]:
    """Return how each topic that was drawn stands, in the order of the topics."""
    found: list[Standing] = []
    for topic in DRAWN:
        tiers = [
            at
            for at, stage in enumerate(session.stages)
            if matters(topic, stage.tier.kata, session.drawn)
        ]
        if tiers:
            found.append(Standing(topic=topic, how=_how(session, topic, tiers)))
    return found


def _how(session: Session, topic: str, tiers: list[int]) -> str:
    first = next((at for at in tiers if _reached(session, at)), None)
    if first is None:
        return "never"
    if session.asked_before(topic, first):
        return "asked"
    tried = [one for one in session.submissions if one.tier in tiers and one.judged]
    if any(_against(topic, one.report, one.outcome) for one in tried):
        return "wrong"
    return "guessed" if any(session.stages[at].passed for at in tiers) else "open"


def _reached(session: Session, at: int) -> bool:
    return any(one.tier == at for one in session.submissions)


def _against(topic: str, report: dict[str, object], outcome: dict[str, list[str]]) -> bool:
    """Whether a submission shows that a topic was guessed wrong."""
    if topic in outcome["missed"]:
        return True
    checks: list[dict[str, str]] = report["checks"]  # type: ignore[assignment]
    failing = {check["id"] for check in checks if check["status"] == "fail"}
    if topic == "meaning":
        return "mask" in failing
    return topic == "precision" and bool(failing & {"dtypes", "device"} - set(outcome["forgiven"]))


def score(session: Session) -> Score:
    """Return the score with its parts."""
    weights = [stage.tier.weight for stage in session.stages]
    reached = sum(weight * quality(session, at) for at, weight in enumerate(weights))
    ticked = 0.0
    for put in session.puts:
        if put.ticked is not None:
            points = question_called(put.name, "en").points
            ticked += len(set(put.ticked)) / len(points)
    worth = {"asked": 1.0, "guessed": 0.5}
    standings = clarity(session)
    said = sum(worth.get(one.how, 0.0) for one in standings)
    return Score(
        parts=(
            Part(name="code", most=60, reached=reached, possible=sum(weights)),
            Part(
                name="questions", most=25, reached=ticked,
                possible=sum(map(len, session.questions)),
            ),
            Part(name="clarity", most=15, reached=said, possible=len(standings)),
        )
    )  # fmt: skip


def grade(session: Session) -> str:
    """Return the verdict's name, from strong-no to strong-yes.

    strong yes  85 points or more, and every tier passed
    yes         70 or more, and every tier but one
    lean        50 or more, and half of the tiers
    no          25 or more, and one tier
    strong no   otherwise
    """
    points = score(session).points
    passed, count = sum(stage.passed for stage in session.stages), len(session.stages)
    if points >= 85 and passed == count:
        return "strong-yes"
    if points >= 70 and passed >= max(1, count - 1):
        return "yes"
    if points >= 50 and passed * 2 >= count:
        return "lean"
    return "no" if points >= 25 and passed else "strong-no"


def level(session: Session) -> str:
    """Return the level at which the candidate would have passed: senior, junior or none."""
    found = grade(session)
    if found in {"yes", "strong-yes"}:
        return session.level
    return "junior" if found == "lean" and session.level == "senior" else "none"


def following(session: Session) -> list[tuple[str, str]]:
    """Return what to practise next, as (why, command): the mistakes, the tier, the questions."""
    named = [
        one["mistake"] for each in session.submissions for one in each.report.get("diagnosis", ())
    ]
    rows: list[tuple[str, str]] = []
    weakest = min(_shares(session), default=(1.0, ""))
    if weakest[0] < 0.5:
        rows.append(("question", f"questions {weakest[1]}"))
    if any(one.how == "wrong" for one in clarity(session)):
        rows.append(("clarity", f"interview --plan {session.plan.id} --practice"))
    missing = [stage.tier.kata.id for stage in session.stages if not stage.passed]
    if not (named or missing or rows) and session.level != "senior":
        rows.append(("again", f"interview --plan {session.plan.id} --level senior"))
    last = session.stages[-1].tier.kata.id
    tier = ("tier", f"watch {missing[0]}") if missing else ("once-more", f"watch {last}")
    mistakes = [("mistake", f"explain {name}") for name in dict.fromkeys(named)]
    return [*mistakes[: _ROWS - 1 - len(rows)], tier, *rows]


def _shares(session: Session) -> list[tuple[float, str]]:
    """Return the share of the points had in each question, with the kata that it is from."""
    return [
        (len(put.ticked) / len(question_called(put.name, "en").points), kata_of(put.name))
        for put in session.puts
        if put.ticked is not None
    ]
