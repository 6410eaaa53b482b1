"""Every interview question is asked by some plan, and one that is not is told."""

import pytest
from attn_kata.dev import plans
from attn_kata.dev.plans import out_of_reach, plan_problems
from attn_kata.kata.catalogue import find, katas
from attn_kata.practice.interview.plan import plan_called


@pytest.mark.parametrize("kata", katas(), ids=lambda kata: kata.id)
def test_no_question_is_out_of_reach(kata):
    """Some plan has a step on each kata, followed by its questions."""
    assert out_of_reach(kata) == []


def test_a_question_that_no_plan_asks_is_named(monkeypatch):
    """A kata without a plan is reported with its file, and debugging alone is no plan for it."""
    monkeypatch.setattr(plans, "plan_names", lambda: ("debug", "mha"))
    told = {line.split(":")[0]: line for line in plan_problems()}
    assert "has 6 questions that no plan asks, `" in told["kata/mla/questions.toml"]
    assert "kata/window/questions.toml" in told
    assert "kata/mha/questions.toml" not in told


def test_what_the_interview_itself_asks_is_not_missed():
    """A question before any code and the open one in other words are no step's."""
    missed = out_of_reach(find("v4"), (plan_called("kernels"),))
    assert (
        len(missed) == len(find("v4").questions("en")) + len(find("v4").exact_questions("en")) - 2
    )
