"""What came back of one call, beside what is right."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch
from attn_kata.checker.judge.case import Case
from attn_kata.checker.judge.conditioning import judged
from attn_kata.checker.judge.draw import small
from attn_kata.checker.judge.drawing import draw
from attn_kata.checker.judge.given import Given
from attn_kata.checker.judge.kept import right_answer
from attn_kata.checker.judge.trials import Trial
from attn_kata.checker.judge.truth import answers
from attn_kata.checker.process.answers import Outcome
from attn_kata.checker.process.requests import Call
from attn_kata.kata.catalogue import find


@pytest.mark.parametrize(("right", "kind"), [(0.0, None), (1.0, "detached")])
def test_a_result_without_a_path_has_a_gradient_of_zero(right, kind):
    """It is right where there is nothing to attend to, as in a buffer of empty sequences."""
    function = next(f for f in find("varlen").asked.functions if f.name == "varlen_attention")
    empty = torch.zeros(4, 2, 8, dtype=torch.float64)
    trial = Trial(
        function=function, case=Case(check="gradients", sizes={}), bound=1e-5,
        given=Given(tensors={"value": empty}, plain={}), expected=(empty,),
        grads={"value": empty + right},
    )  # fmt: skip
    finding = trial.judge(Outcome(out=empty, attached=False))
    assert (finding and finding.kind) == kind


@pytest.mark.parametrize(("left", "kind"), [(1e-4, None), (1.0, "gradient")])
def test_a_gradient_whose_terms_cancel_is_not_held_to_its_rounding(left, kind):
    """With one key a value's gradient is what outputs are summed with; little may remain of it."""
    sdpa = find("sdpa")
    function, truth = sdpa.asked.functions[0], answers(sdpa)
    assert truth is not None
    one = cast("Any", SimpleNamespace(kata=sdpa, right=truth[function.name]))
    query = torch.ones(1, 1, 2, 1, dtype=torch.float64)
    key = value = query[:, :, :1]
    upstream = torch.tensor([1.0, left - 1], dtype=torch.float64).reshape(1, 1, 2, 1)
    right = upstream.sum(2, keepdim=True)
    trial = Trial(
        function=function, case=Case(check="gradients", sizes={}), bound=1e-5,
        given=Given(tensors={"query": query, "key": key, "value": value}, plain={}),
        expected=(query,), grads={"value": right}, call=Call(grad=upstream), dtype=torch.float32,
    )  # fmt: skip
    off = Outcome(out=query.float(), attached=True, input_grads={"value": right.float() * 1.001})
    assert (found := trial.judge(off)) is not None
    assert found.kind == "gradient"
    finding = judged(one, trial, off)
    assert (finding and finding.kind) == kind


def test_an_edited_answer_is_not_given_what_the_right_one_gave() -> None:
    """What was worked out before is known by the model answer as well as by the question."""
    kata = find("sdpa")
    function = kata.asked.functions[0]
    generator = torch.Generator().manual_seed(0)
    given = draw(function, next(small(function, kata.asked.sizes, mask=False)), generator)
    edit = (("masked_scores.softmax(dim=-1)", "masked_scores.softmax(dim=-2)"),)
    right, wrong = answers(kata), answers(kata, (edit,))
    assert right is not None
    assert wrong is not None
    first, second, again = (
        right_answer(kata, function, one[function.name], given, generator, grad=False)[0]
        for one in (right, wrong, right)
    )
    assert again is first
    assert not torch.allclose(first.results[0], second.results[0])
