"""What the brief leaves open: drawn for each interview, told to who asks, and judged.

A topic has one value at a tier. Some are the kata's own (has it a mask?), some are drawn
when the interview begins (what does the mask mean?). Only what the judge's report or the
source can tell is drawn.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields

from ...checker import Options
from ...kata.catalogue import Contract, Kata
from .handout import signatures
from .stated import mask_shapes, passage, rules, shapes, stated
from .texts import table

__all__ = [
    "DRAWN",
    "JUDGES_OUTPUT",
    "Topic",
    "answer",
    "answers",
    "draw",
    "matters",
    "topics",
    "value",
]

# The topics that differ from interview to interview; the others follow from the kata.
DRAWN = ("meaning", "entries", "output", "dropout", "precision")

# Whether the judge can be told that a required output projection is not wanted.
JUDGES_OUTPUT = "output" in {field.name for field in fields(Options)}

# What every class contract says alike.
_ALIKE = {"cache": "none", "extras": "none", "scale": "yours"}
_SHAPES = {"BQK": "(B, Tq, Tk)", "BHQK": "(B, H, T, T)", "B1QK": "(B, 1, T, T)"}
_SHAPES["B11K"] = "(B, 1, 1, T)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """Something to ask about, and what this interview says to it."""

    id: str
    name: Mapping[str, str]
    answer: Mapping[str, Mapping[str, str]]


def topics() -> tuple[Topic, ...]:
    """Return every topic, in the order in which they are answered."""
    return tuple(
        Topic(
            id=row["id"],
            name=row["name"],
            answer=row["answer"],
        )
        for row in table("clarifications.toml")["topic"]
    )


def draw(seed: int, level: str) -> dict[str, str]:
    """Draw what this interview wants where the brief says nothing."""
    chance = random.Random(f"requirements {seed}")  # noqa: S311 - a draw, not a secret
    senior = level in {"senior", "staff"}
    meaning = chance.choice(("keep", "drop", "additive") if senior else ("keep", "drop"))
    entries = "float" if meaning == "additive" else chance.choice(("bool", "int"))
    return {
        "meaning": meaning,
        "entries": entries,
        "output": chance.choice(("wanted", "unwanted")),
        "dropout": chance.choice(("0.1", "0.2", "0.3")),
        "precision": "any" if level != "junior" else chance.choice(("any", "float32")),
    }


def value(topic: str, kata: Kata, drawn: Mapping[str, str]) -> str:
    """Return what this interview says about a topic, at a tier on this kata.

    Without a class contract all but the precision is the kata's own: what a mask means, for
    one, stands in its brief.
    """
    if topic == "precision":
        return drawn["precision"]
    if kata.promised is None:
        return stated(topic, kata)
    return _promised(topic, kata.promised, drawn)


def _promised(topic: str, contract: Contract, drawn: Mapping[str, str]) -> str:
    if topic == "mask":
        return "built-in" if contract.causal else "given" if contract.masks else "none"
    if topic in {"meaning", "entries"}:
        return drawn[topic] if contract.masks else "none"
    if topic in {"names", "lengths"} and "block_size" in contract.constructor:
        return "block"
    if topic in {"heads", "names"}:
        return contract.heads
    if topic in _ALIKE:
        return _ALIKE[topic]
    if topic == "fused":
        return "wanted" if contract.fused else "free"
    if topic == "output":
        return _output(contract, drawn)
    if topic == "dropout":
        named = {"none": "none", "optional": "free"}
        return named.get(contract.dropout, drawn["dropout"])
    return contract.source if topic in {"shape", "source"} else "free"


def _output(contract: Contract, drawn: Mapping[str, str]) -> str:
    if contract.output == "extra":
        return "formula"
    if contract.output == "required" and not JUDGES_OUTPUT:
        return "wanted"
    # A kata that leaves it open can be judged both ways; the fused formula asks for neither.
    return "free" if contract.fused else drawn["output"]


def matters(topic: str, kata: Kata, drawn: Mapping[str, str]) -> bool:
    """Whether a topic was drawn and says something at this tier."""
    if topic not in DRAWN or value(topic, kata, drawn) in {"none", "free"}:
        return False
    if kata.promised is None:
        return topic == "precision"
    if topic == "output":
        return kata.promised.output == "optional" or JUDGES_OUTPUT
    # Both meanings of the numbers are one question where the mask is added.
    return not (topic == "entries" and drawn["meaning"] == "additive")


def answers(
    found: Sequence[Topic], kata: Kata, drawn: Mapping[str, str], language: str
) -> list[str]:
    """Return the interviewer's answers. The brief, where it is one, has all but what was drawn."""
    if any(value(one.id, kata, drawn) == "brief" for one in found):
        found = [
            one
            for one in found
            if value(one.id, kata, drawn) == "brief" or matters(one.id, kata, drawn)
        ]
    return list(dict.fromkeys(answer(one, kata, drawn, language) for one in found))


def answer(topic: Topic, kata: Kata, drawn: Mapping[str, str], language: str) -> str:
    """Return the interviewer's answer."""
    found = value(topic.id, kata, drawn)
    if found == "brief":
        return passage(kata, language)
    if topic.id == "dropout" and found not in topic.answer:
        return topic.answer["rate"][language].strip().format(rate=found)
    text = topic.answer[found][language].strip()
    return _FIELD.sub(lambda field: _FIELDS[field[1]](kata, language), text)


def _masks(kata: Kata, language: str) -> str:  # noqa: ARG001 - one of _FIELDS
    if kata.promised is None:
        return mask_shapes(kata)
    return ", ".join(_SHAPES[form] for form in kata.promised.masks)


# What an answer may leave to be filled in from the kata.
_FIELDS: dict[str, Callable[[Kata, str], str]] = {
    "masks": _masks,
    "shapes": lambda kata, _: shapes(kata),
    "signatures": lambda kata, _: "\n".join(signatures(kata)),
    "rules": rules,
}
_FIELD = re.compile(r"{(\w+)}")
