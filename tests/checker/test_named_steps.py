"""What a model answer names on the way, in its functions and in what those call."""

from typing import Any

import pytest
import torch
from attn_kata.checker.judge.named_steps import STEPS, NamedSteps, noted, telling

TEXT = '''
import torch
from torch import nn

def helper(x, *, twice=True):
    """Twice, or as it is."""
    doubled = x * 2 if twice else x
    return doubled

@torch.no_grad()
def answer(x, mask=None):
    first = x + 1
    inner = [helper(one) for one in first]
    count = len(inner)
    first = helper(first, twice=False)
    if mask is not None:
        raise RuntimeError(mask)
    return first.sum()

class Answer(nn.Module):
    def forward(self, x):
        squared = x**2
        return helper(squared)
'''


def steps_of(name, *given, ordered=False):
    """Call a function of the text, and return what it named, by what it holds."""
    scope: dict[str, Any] = {STEPS: None}
    for part in telling(TEXT, "<text>"):
        exec(part, scope)
    steps = NamedSteps(ordered=ordered)
    called = scope[name]
    try:
        with noted(called, steps):
            (called() if isinstance(called, type) else called)(*given)
    finally:
        assert scope[STEPS] is None
    return {key: value.tolist() for key, value in steps.found.items()}


def test_the_last_of_each_name_is_kept():
    """Tensors under local names, a helper's too: no arguments, and nothing that is no tensor."""
    assert steps_of("answer", torch.ones(2)) == {"doubled": [2, 2], "first": [2, 2]}
    assert steps_of("Answer", torch.tensor([3.0])) == {"squared": [9], "doubled": [18]}


def test_in_order_each_call_has_its_own():
    """What a caller has named comes before what is named in what it calls."""
    found = steps_of("answer", torch.tensor([0.0, 1.0]), ordered=True)
    # Of a comprehension, which has a frame of its own before Python 3.12 alone.
    found.pop("one", None)
    assert found == {
        "x": [0, 1], "doubled": 2, "doubled 1": 4, "doubled 2": [1, 2], "first": [1, 2],
    }  # fmt: skip


def test_what_raises_has_named_what_it_has():
    """What was named until then is there, and nobody listens any more."""
    scope: dict[str, Any] = {STEPS: None}
    for part in telling(TEXT, "<text>"):
        exec(part, scope)
    steps = NamedSteps(ordered=False)
    with pytest.raises(RuntimeError, match="stop") as raised, noted(scope["answer"], steps):
        scope["answer"](torch.zeros(1), "stop")
    assert {*steps.found} == {"doubled", "first"}
    assert scope[STEPS] is None
    # Its lines are still the text's.
    line = TEXT.splitlines()[raised.traceback[-1].lineno]
    assert line.strip() == "raise RuntimeError(mask)"
