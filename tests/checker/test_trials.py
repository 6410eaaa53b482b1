"""What came back of one call, beside what is right."""

import pytest
import torch
from attn_kata.checker.judge.draw import Case
from attn_kata.checker.judge.given import Given
from attn_kata.checker.judge.trials import Trial
from attn_kata.checker.process.answers import Outcome
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
