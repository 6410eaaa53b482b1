"""Questions follow from the seed and the class alone, and a saved file is asked the same."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any, cast

import pytest
import torch
from attn_kata.checker.client import Options
from attn_kata.checker.judge.classes.cases import Case
from attn_kata.checker.judge.classes.fitting import Fitted
from attn_kata.checker.judge.classes.plan import Binding, ForwardPlan, Size
from attn_kata.checker.judge.classes.propose import proposals
from attn_kata.checker.judge.classes.questions import _DRAWN, _MOST, Drawn, Questions
from attn_kata.checker.judge.classes.trials import Trial
from attn_kata.checker.judge.compare import alike
from attn_kata.kata.catalogue import find

MASKED = Case(check="mask", batch=2, queries=3, keys=3, mask="random")
PLAIN = Case(check="values", batch=2, queries=3, keys=3)
SIZE = Size(hidden=6, heads=2)
SEEDS = count(5000)

SOURCE = """\
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.q, self.k = nn.Linear(hidden_dim, hidden_dim), nn.Linear(hidden_dim, hidden_dim)
        self.v, self.o = nn.Linear(hidden_dim, hidden_dim), nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q = self.q(x).unflatten(-1, (self.h, -1)).transpose(1, 2)
        k = self.k(x).unflatten(-1, (self.h, -1)).transpose(1, 2)
        v = self.v(x).unflatten(-1, (self.h, -1)).transpose(1, 2)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        return self.o((self.drop(scores.softmax(-1)) @ v).transpose(1, 2).flatten(2))
"""


class Fitting:
    """A class with four layers, fitted."""

    def __init__(self, seed, output="o"):
        self.draw = torch.Generator().manual_seed(seed)
        self.work, self.skip, self.cross = torch.float64, (), False
        self.layers = ("q", "k", "v", output)
        plan = ForwardPlan(sources=(("x", "x"),), mask="attention_mask")
        self.binding = Binding(class_name="Mine", constructor=(("width", "width"),), forward=plan)

    def shapes(self, size):
        """Its weights."""
        wide = {f"{name}.weight": (size.hidden, size.hidden) for name in self.layers}
        return wide | {f"{name}.bias": (size.hidden,) for name in self.layers}

    def roles(self, size):
        """Which is which."""
        return next(iter(proposals(self.shapes(size), size)))

    def none_mask(self, case, work):
        """Nothing stands for no mask."""


def asked(seed: int | None = None, output: str = "o") -> Questions:
    """The questions of a class, by default under a seed that nobody had."""
    fitting = Fitting(next(SEEDS) if seed is None else seed, output)
    return Questions(find("mha"), cast("Fitted", fitting), "keep")


def drawn_by(questions: Questions, size: Size = SIZE, gain: float = 1.5) -> Drawn:
    """Weights at a size."""
    drawn = questions.draw(size, gain)
    assert drawn is not None
    return drawn


def test_the_order_of_questions_changes_none():
    """What is drawn for a case does not depend on what was drawn before it."""
    cases = (MASKED, PLAIN)
    one, other = (
        {case: questions.ask(drawn_by(questions), case, form="B1QK") for case in order}
        for order, questions in ((cases, asked(1)), (cases[::-1], asked(1)))
    )
    for case in cases:
        assert torch.equal(one[case].inputs["x"], other[case].inputs["x"])
        assert torch.equal(one[case].expected, other[case].expected)


def test_what_was_worked_out_is_there_for_the_next_file():
    """The same class under the same seed finds its questions, with their answers."""
    seed = next(SEEDS)
    first, second = asked(seed), asked(seed)
    trial = first.ask(drawn_by(first), PLAIN)
    again = second.pose(drawn_by(second), PLAIN)
    assert again is trial
    assert again.answered


def expected(
    *,
    seed: int = 4000,
    output: str = "o",
    size: Size = SIZE,
    gain: float = 1.5,
    dtype: torch.dtype | None = None,
    case: Case = PLAIN,
    again: bool = False,
) -> Trial:
    """One question with its answer."""
    questions = asked(seed, output)
    drawn = questions.draw(size, gain, dtype)
    assert drawn is not None
    return questions.ask(drawn, case, form="B1QK", again=again)


@pytest.mark.parametrize(
    "change",
    [{"seed": 4001}, {"size": Size(hidden=6, heads=3)}, {"gain": 0.8}, {"dtype": torch.bfloat16},
     {"case": MASKED}, {"again": True}],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_another_question_has_another_answer(change: dict[str, Any]):
    """Whatever a question depends on tells it from others."""
    assert not torch.equal(expected().expected, expected(**change).expected)


def test_weights_of_other_names_are_other_questions():
    """Gradients are compared by name, so nothing of another class's may be taken for one's own."""
    assert expected() is expected()
    assert expected(output="out") is not expected()


def test_a_trial_with_gradients_is_answered_once():
    """Its gradients are those of autograd on the reference, and are not worked out anew."""
    questions = asked()
    drawn = drawn_by(questions)
    trial = questions.ask(drawn, replace(PLAIN, grad=True))
    gradients = trial.parameter_grads
    drawn.answer([trial])
    assert trial.parameter_grads is gradients
    x = trial.inputs["x"].clone().requires_grad_(True)
    (drawn.truth.run({"x": x}) * trial.call["grad"]).sum().backward()
    assert trial.input_grads is not None
    assert x.grad is not None
    assert alike(trial.input_grads["x"], x.grad, 1e-12)


def verdicts(report):
    """All that a report says, but how long it took."""
    said = report.to_dict()
    return {name: said[name] for name in said if name != "elapsed_ms"}


WRONG = {
    "scale": ("q.shape[-1] ** 0.5", "x.shape[-1] ** 0.5"),
    "mask": ("attention_mask == 0", "attention_mask != 0"),
    "gradients": ("self.q(x)", "self.q(x.detach())"),
    "dropout": ("self.drop(scores.softmax(-1))", "self.drop(scores).softmax(-1)"),
    "large scores": ("scores.softmax(-1)", "(scores.exp() / scores.exp().sum(-1, True))"),
}


@pytest.mark.parametrize("slip", WRONG)
def test_saves_of_one_file_are_judged_as_if_each_were_the_first(bench, tmp_path, slip):
    """Wrong, right, wrong again: under one seed, in one judge, and each as in a new one."""
    wrong = SOURCE.replace(*WRONG[slip])
    file = tmp_path / "mine.py"
    options = Options(seed=next(SEEDS))
    found = []
    for text in (wrong, SOURCE, wrong, SOURCE):
        file.write_text(text)
        found.append(verdicts(next(bench.judge("mha", [file], options))))
    assert [one["verdict"] for one in found] == ["fail", "pass", "fail", "pass"]
    assert found[0] == found[2]
    assert found[1] == found[3]
    file.write_text(SOURCE)
    # Another judge, forked anew, which has seen no file.
    bench.judges.pop().close()
    bench.refill()
    assert verdicts(next(bench.judge("mha", [file], options))) == found[3]


def test_only_the_latest_are_kept():
    """A judge that sees one class after another does not grow with each."""
    for number in range(_MOST + 5):
        drawn_by(asked(6000 + number))
    assert len(_DRAWN) == _MOST
