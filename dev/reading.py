"""Fit how free answers are read: what each kind of evidence counts, and how much is enough.

    python -m attn_kata.dev.reading

A logistic regression on the answers in `tests/interview/answers`: good ones make their points,
partial ones some, reversed ones and those beside the point none. As many model answers of a bank's
next question stand beside them, which make few. The unseen are left out: `bench/answers.py`
measures on them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from ..kata.catalogue import LANGUAGES, katas
from ..practice.interview.questions import named
from ..practice.interview.reading.points import evidence

__all__ = ["answers_in", "made_in", "main"]

_ANSWERS = Path(__file__).parent.parent / "tests" / "interview" / "answers"
# Of each point's weight, in spreads of its kind of evidence: it keeps the counts small.
_SHRINK = 0.5
# Less than an even chance is enough, so that few points of good answers are lost: by how much.
_EASE, _EASE_ZH = 1.02, 1.67


def main() -> None:
    """Print the counts and the sum from which on a point is heard."""
    rows = [*_written(), *_of_others()]
    given = torch.tensor([row for row, _ in rows], dtype=torch.float64)
    made = torch.tensor([float(one) for _, one in rows], dtype=torch.float64)
    counts, enough = _fitted(given, made)
    told = ", ".join(f"{one:.2f}" for one in counts.tolist())
    sys.stdout.write(f"_COUNTS = ({told})\n")
    sys.stdout.write(f"_ENOUGH, _ENOUGH_ZH = {enough - _EASE:.2f}, {enough - _EASE_ZH:.2f}\n")


def _written() -> Iterator[tuple[tuple[float, ...], bool]]:
    """Yield what speaks for each point of each answer, and whether the answer makes it."""
    for file in sorted(_ANSWERS.glob("*.txt")):
        for name, kind, text in answers_in(file) if not file.name.startswith("unseen") else ():
            rows = evidence(name, text)
            made = made_in(kind, len(rows))
            yield from ((row, one) for row, one in zip(rows, made, strict=True) if any(row))


def answers_in(file: Path) -> Iterator[tuple[str, str, str]]:
    """Yield each answer of a file: its question's whole name, what kind it is of, and its text."""
    name = ""
    for line in file.read_text("utf-8").splitlines():
        if line.startswith("## "):
            name = named(line[3:])
        elif line:
            kind, _, text = line.partition(" ")
            yield name, kind, text


def made_in(kind: str, count: int) -> list[bool]:
    """Return which points an answer makes, by the word that its line begins with.

    `+` is all of them, `%1,3` these, counted from 1, and anything else none.
    """
    some = {int(one) for one in kind[1:].split(",")} if kind.startswith("%") else set[int]()
    return [kind == "+" or at in some for at in range(1, count + 1)]


def _of_others() -> Iterator[tuple[tuple[float, ...], bool]]:
    """Yield the same for the model answer of the question before."""
    for kata in katas():
        for language in LANGUAGES:
            bank = [one for one in kata.questions(language) if one.points]
            for at, one in enumerate(bank):
                rows = evidence(f"{kata.id}:{one.id}", bank[at - 1].answer)
                yield from ((row, False) for row in rows if any(row))


def _fitted(given: Tensor, made: Tensor) -> tuple[Tensor, float]:
    """Return what each column counts, and the sum from which on more is made than not."""
    spread = given.std(0)
    weights = torch.zeros(given.shape[1] + 1, dtype=torch.float64, requires_grad=True)
    step = torch.optim.LBFGS([weights], max_iter=500, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        step.zero_grad()
        told = given / spread @ weights[:-1] + weights[-1]
        off = binary_cross_entropy_with_logits(told, made, reduction="sum")
        whole = off + _SHRINK * weights[:-1].square().sum()
        whole.backward()
        return whole

    step.step(loss)
    found = weights.detach()
    return found[:-1] / spread, -float(found[-1])


if __name__ == "__main__":
    main()
