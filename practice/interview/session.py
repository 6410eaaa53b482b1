"""What an interview's events add up to: where it stands, and all that its report needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...kata.catalogue import find
from .clock import Reading, elapsed, since
from .plan import Plan, Tier, further, plan_called
from .questions import Asked, question_put
from .requirements import matters
from .store import Event

__all__ = [
    "PAUSE", "Claimed", "Clarified", "Put", "Run", "Session", "Stage", "Submission", "TimelineMark",
]  # fmt: skip


# For so many seconds the clock stands while a question is answered.
PAUSE = 240.0


@dataclass(frozen=True, slots=True)
class Clarified:
    """A clarifying question. tier: where it was asked; early: before that tier's submissions."""

    text: str
    topics: tuple[str, ...]
    tier: int
    early: bool


@dataclass(slots=True)
class Submission:
    """What was handed in. report: as plain data, empty until it was judged."""

    number: int
    tier: int
    source: str
    at: float
    last: bool
    report: dict[str, Any] = field(default_factory=dict[str, Any])
    outcome: dict[str, Any] = field(default_factory=dict[str, Any])
    told: int = 0

    @property
    def judged(self) -> bool:
        """Whether its verdict is there."""
        return bool(self.report)

    @property
    def accepted(self) -> bool:
        """Whether it was what this interview asks for."""
        return bool(self.outcome.get("accepted"))


@dataclass(frozen=True, slots=True)
class Run:
    """A run of one's own. status: nothing where it was ended. checks: assertions in the file."""

    at: float
    tier: int
    status: int | None
    checks: int


@dataclass(slots=True)
class Put:
    """A question that was put, what was written, and what came of it.

    own: the text of a question made from the code. made: the points that were heard, or
    whether an exact answer is right. reader: what heard them: exact, words or a model's name.
    quotes: the words that earned a point, where a model read. ticked: the points that the
    candidate says were made, heard or not.
    """

    name: str
    tier: int
    own: Mapping[str, Any] | None = None
    at: float = 0.0
    lines: list[str] = field(default_factory=list[str])
    answered: bool = False
    made: tuple[bool, ...] | None = None
    reader: str = ""
    quotes: tuple[str, ...] = ()
    ticked: tuple[int, ...] | None = None

    def asked(self, language: str) -> Asked:
        """Return the question."""
        return question_put(self.name, language, self.own)

    @property
    def closed(self) -> bool:
        """Whether nothing more is to be said to it."""
        return self.ticked is not None

    @property
    def text(self) -> str:
        """What was answered."""
        return "\n".join(self.lines).strip()


@dataclass(frozen=True, slots=True)
class Claimed:
    """A line that was said to be wrong. early: before it was mended; verdict as in debug/claims."""

    tier: int
    line: int
    first: int | None
    mistake: str
    verdict: str
    early: bool
    at: float


@dataclass(slots=True)
class Stage:
    """One tier as it went. ended: when it was passed or given up, in seconds.

    planted: the exercise as plain data, where bugs are to be found. hinted: the bugs that hints
    were on, by their places.
    """

    tier: Tier
    began: float | None = None
    ended: float | None = None
    passed: bool = False
    hints: int = 0
    planted: dict[str, Any] = field(default_factory=dict[str, Any])
    hinted: list[int] = field(default_factory=list[int])

    @property
    def left_open(self) -> bool:
        """Whether there is something to ask about: code is to be written, and not all is said."""
        return not self.tier.bugs


@dataclass(frozen=True, slots=True)
class TimelineMark:
    """Something for the timeline: when, and what."""

    at: float
    kind: str
    tier: int
    number: int = 0


@dataclass(slots=True)
class Session:
    """An interview, folded from its events."""

    number: int
    plan: Plan
    level: str
    seed: int
    minutes: float
    practice: bool
    drawn: Mapping[str, str]
    wall: float
    stages: list[Stage]
    examiner: str = ""
    file: str = ""
    opened: bool = False
    tier: int = 0
    ended: str = ""
    handed: str = ""
    runs: list[Run] = field(default_factory=list[Run])
    subject: str = ""
    clarified: list[Clarified] = field(default_factory=list[Clarified])
    thoughts: list[str] = field(default_factory=list[str])
    claims: list[Claimed] = field(default_factory=list[Claimed])
    submissions: list[Submission] = field(default_factory=list[Submission])
    puts: list[Put] = field(default_factory=list[Put])
    marks: list[TimelineMark] = field(default_factory=list[TimelineMark])
    readings: list[Reading] = field(default_factory=list[Reading])
    # The clock stands while a question is answered: since when, and how long before.
    asked_at: float | None = None
    stood: float = 0.0
    late: bool = False

    @classmethod
    def of(cls, number: int, events: Sequence[Event]) -> Session:
        """Fold events into what they add up to. The first one begins the interview."""
        begin = events[0]
        data = begin.data
        plan = plan_called(data["plan"]).drawn(data["seed"])
        session = cls(
            number=number,
            plan=plan,
            level=data["level"],
            seed=data["seed"],
            minutes=data["minutes"],
            practice=data["practice"],
            drawn=data["drawn"],
            wall=begin.reading.wall,
            stages=[Stage(tier) for tier in plan.tiers],
        )
        session.take(events[1:])
        return session

    def take(self, events: Iterable[Event]) -> None:
        """Take in what happened."""
        for event in events:
            if self.opened or event.kind == "opened":
                self.readings.append(event.reading)
            at = self._counted(elapsed(self.readings))
            getattr(self, f"_on_{event.kind}")(event.data, at)

    def _counted(self, whole: float) -> float:
        """Return how much of the time since the opening counts: what the clock stood does not."""
        return whole - self.stood - self._standing(whole)

    def _standing(self, now: float) -> float:
        """Return for how long it stands for the question that is put: for a while at most."""
        return 0.0 if self.asked_at is None else min(PAUSE, now - self.asked_at)

    # Where it stands.

    @property
    def stage(self) -> Stage | None:
        """The tier in work, nothing once all are over."""
        return self.stages[self.tier] if self.tier < len(self.stages) else None

    @property
    def planned(self) -> list[Stage]:
        """The tiers of the plan, without what was added as there was time left."""
        return self.stages[: len(self.plan.tiers)]

    @property
    def put(self) -> Put | None:
        """The question that waits for an answer or for ticks."""
        last = self.puts[-1] if self.puts else None
        return last if last is not None and not last.closed else None

    def claimed(self, tier: int) -> list[int]:
        """Return the lines as handed out that were claimed rightly in a step."""
        return [
            one.first
            for one in self.claims
            if one.tier == tier and one.verdict == "right" and one.first is not None
        ]

    def accepted(self, tier: int) -> Submission | None:
        """Return the submission with which a tier was passed."""
        return next(
            (one for one in self.submissions if one.tier == tier and one.judged and one.accepted),
            None,
        )

    @property
    def last(self) -> Submission | None:
        """The last submission of the tier in work."""
        found = [one for one in self.submissions if one.tier == self.tier]
        return found[-1] if found else None

    @property
    def used(self) -> float:
        """The seconds from the file's opening to the last event, as far as there was time."""
        limit = float("inf") if self.practice else self.minutes * 60
        return min(self._counted(elapsed(self.readings)), limit)

    def spent(self, now: Reading) -> float:
        """Return the seconds since the file was opened, sleep and restarts reconciled."""
        if not self.readings:
            return 0.0
        whole = elapsed(self.readings) + since(self.readings[-1], now)
        return self._counted(whole)

    def left(self, now: Reading) -> float:
        """Return the seconds left; endless in practice."""
        return float("inf") if self.practice else self.minutes * 60 - self.spent(now)

    def asked_before(self, topic: str, tier: int) -> Clarified | None:
        """Return the question that asked for a topic before the first submission of a tier.

        "No mask yet" at an earlier tier is no answer to what its entries mean.
        """
        return next(
            (
                one
                for one in self.clarified
                if topic in one.topics
                and one.tier < len(self.stages)
                and self.stages[one.tier].left_open
                and matters(topic, self.stages[one.tier].tier.kata, self.drawn)
                and (one.tier < tier or (one.tier == tier and one.early))
            ),
            None,
        )

    # What happened, one method an event.

    def _on_asked(self, data: dict[str, Any], at: float) -> None:
        early = self.last is None
        self.clarified.append(Clarified(data["text"], tuple(data["topics"]), self.tier, early))
        self.subject = data.get("subject", "")
        self._mark(at, "asked")

    def _on_thought(self, data: dict[str, Any], at: float) -> None:  # noqa: ARG002
        self.thoughts.append(data["text"])

    def _on_opened(self, data: dict[str, Any], at: float) -> None:
        self.opened = True
        self.file, self.handed = data["file"], data["source"]
        self.stages[0].began = at

    def _on_planted(self, data: dict[str, Any], at: float) -> None:  # noqa: ARG002
        self.stages[data["tier"]].planted = data

    def _on_claimed(self, data: dict[str, Any], at: float) -> None:
        self.claims.append(Claimed(tier=self.tier, at=at, **data))
        self._mark(at, "claimed")

    def _on_handed(self, data: dict[str, Any], at: float) -> None:  # noqa: ARG002
        self.file, self.handed = data["file"], data["source"]

    def _on_moved(self, data: dict[str, Any], at: float) -> None:  # noqa: ARG002
        self.file = data["file"]

    def _on_ran(self, data: dict[str, Any], at: float) -> None:
        self.runs.append(Run(at, self.tier, data["status"], data.get("checks", 0)))
        self._mark(at, "ran")

    def _on_submitted(self, data: dict[str, Any], at: float) -> None:
        one = Submission(len(self.submissions) + 1, self.tier, data["source"], at, data["last"])
        self.submissions.append(one)

    def _on_judged(self, data: dict[str, Any], at: float) -> None:
        one = self.submissions[-1]
        one.report, one.outcome = data["report"], data["outcome"]
        self.marks.append(
            TimelineMark(one.at, "right" if one.accepted else "wrong", one.tier, one.number)
        )
        if one.accepted:
            stage = self.stages[one.tier]
            stage.passed, stage.ended = True, at

    def _on_late(self, data: dict[str, Any], at: float) -> None:  # noqa: ARG002
        self.late = True
        self._mark(at, "late")

    def _on_more(self, data: dict[str, Any], at: float) -> None:
        self.submissions[data["number"] - 1].told = data["told"]
        self._mark(at, "more")

    def _on_hinted(self, data: dict[str, Any], at: float) -> None:
        stage = self.stages[self.tier]
        stage.hints = data["number"]
        stage.hinted += [data["bug"]] if "bug" in data else []
        self._mark(at, "hint")

    def _on_question(self, data: dict[str, Any], at: float) -> None:
        self.puts.append(Put(data["name"], self.tier, data.get("own"), at))
        self.asked_at = elapsed(self.readings)
        self._mark(at, "question")

    def _on_wrote(self, data: dict[str, Any], at: float) -> None:  # noqa: ARG002
        self.puts[-1].lines.append(data["line"])

    def _on_answered(self, data: dict[str, Any], at: float) -> None:  # noqa: ARG002
        self.puts[-1].answered = True

    def _on_read(self, data: dict[str, Any], at: float) -> None:  # noqa: ARG002
        put = self.puts[-1]
        put.made, put.reader = tuple(data["points"]), data["reader"]
        put.quotes = tuple(data["quotes"])

    def _on_ticked(self, data: dict[str, Any], at: float) -> None:  # noqa: ARG002
        self.puts[-1].ticked = tuple(data["points"])
        self.stood += self._standing(elapsed(self.readings))
        self.asked_at = None

    def _on_extended(self, data: dict[str, Any], at: float) -> None:  # noqa: ARG002
        self.stages.append(Stage(further(find(data["kata"]))))

    def _on_skipped(self, data: dict[str, Any], at: float) -> None:  # noqa: ARG002
        self.stages[self.tier].ended = at
        self._mark(at, "skipped")

    def _on_went_on(self, data: dict[str, Any], at: float) -> None:  # noqa: ARG002
        self.tier += 1
        stage = self.stage
        if stage is not None:
            stage.began = at

    def _on_left(self, data: dict[str, Any], at: float) -> None:  # noqa: ARG002
        self._mark(at, "left")

    def _on_resumed(self, data: dict[str, Any], at: float) -> None:  # noqa: ARG002
        self._mark(at, "resumed")

    def _on_ended(self, data: dict[str, Any], at: float) -> None:  # noqa: ARG002
        self.ended = data["why"]

    def _mark(self, at: float, kind: str) -> None:
        if self.opened:
            self.marks.append(TimelineMark(at, kind, self.tier))
