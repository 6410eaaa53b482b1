"""What stands beside a verdict, in every kata: the trace, its axes, and yours beside expected."""

import math

import pytest
from attn_kata.checker.client import Options
from attn_kata.kata.catalogue import find, katas

# A kernel leaves no steps to be shown.
WITH_STEPS = [kata for kata in katas() if not kata.kernels]

NUMBERS = ("values", "mask", "lengths", "causality", "stability", "dtypes", "gradients")


def wrong_files(root, kata):
    """The corpus's wrong files of a kata, each with its first line."""
    for path in sorted((root / "tests" / "corpus" / "wrong").glob("*.py")):
        if path.read_text("utf-8").split(None, 4)[2] == kata.id:
            yield path


@pytest.fixture
def failing(bench, root):
    """The report on the first of a kata's wrong files in which a tensor differs."""

    def find_one(kata):
        for path in wrong_files(root, kata):
            report = next(bench.judge(kata.id, [path], Options(seed=1, heat=True, diagnose=False)))
            read = report.departure or any(step.milestone for step in report.trace)
            if read and report.difference is not None and report.difference.at:
                return report
        raise AssertionError(f"no wrong file of {kata.id} gives other numbers")

    return find_one


@pytest.mark.each_kata
@pytest.mark.parametrize("kata", WITH_STEPS, ids=lambda kata: kata.id)
def test_wrong_numbers_have_their_evidence(failing, kata):
    """The steps are there with axes by name, and the worst place has yours and the right number."""
    report = failing(kata)
    assert any(one.status == "fail" and one.id in NUMBERS for one in report.checks)
    assert report.trace
    for step in report.trace:
        assert len(step.axes) == len(step.shape)
        assert step.axes.count("batch") <= 1
    assert (report.heat is None) == (kata.no_weights is not None)
    difference = report.difference
    mine, right = difference.pair
    assert mine != right
    assert 0 < difference.wrong <= difference.total
    whole = isinstance(right, (bool, int))
    assert (difference.tolerance is None) == whole
    assert whole or not abs(mine - right) <= difference.tolerance
    assert len(difference.at) == len(difference.expected_shape)
    rows = (len(difference.expected), len(difference.actual))
    assert rows[0] == rows[1] > 0


HALF = "value = (value + value.detach()) / 2"


@pytest.mark.parametrize(
    ("kata", "before"),
    [("mha", "        products = query"), ("sdpa", "    products = query")],
)
def test_a_wrong_gradient_shows_both_sides(judged, kata, before):
    """The table is of the gradient, by its name, and not of the output, which is right."""
    indent = before[: -len(before.lstrip())]
    source = find(kata).solution().replace(before, f"{indent}{HALF}\n{before}")
    report = judged(kata, source)
    assert [one.id for one in report.checks if one.status == "fail"] == ["gradients"]
    difference = report.difference
    assert difference.gradient
    assert "value" in difference.name
    mine, right = difference.pair
    assert math.isclose(2 * mine, right, rel_tol=1e-3)


def test_a_mask_differs_in_true_and_false(judged):
    """What is true or false has no tolerance, and is not a number."""
    source = find("drill-mask").solution().replace("places < lengths", "places <= lengths")
    difference = judged("drill-mask", source).difference
    assert difference.pair == [True, False]
    assert isinstance(difference.expected[0][0], bool)
    assert difference.tolerance is None


@pytest.mark.costly
def test_one_of_several_results_is_named(judged):
    """Of three results the one that differs is called by its name."""
    source = find("backward").solution().replace("grad_products @ key", "-grad_products @ key")
    assert judged("backward", source).difference.name == "`grad_query`"


def test_the_trace_is_of_the_function_that_fails(judged):
    """A rule that another function breaks is not shown in the steps of the first."""
    source = (
        find("drill-axes").solution().replace("x.permute(0, 2, 1, 3)", "x.permute(0, 2, 1, 3) * 1")
    )
    report = judged("drill-axes", source)
    assert report.verdict == "fail"
    assert report.traced.startswith("`by_permute`")
    assert {step.call for step in report.trace} == {"Tensor.permute", "*"}


def test_axes_of_a_call_with_a_cache(judged):
    """The new positions are the length, and with those before them the keys."""
    source = find("kvcache").solution().replace("diagonal=key_length - length", "diagonal=0")
    report = judged("kvcache", source)
    assert report.departure.milestone == "masked_scores"
    shapes = {tuple(step.axes) for step in report.trace}
    assert ("batch", "heads", "length", "key_length") in shapes


def test_what_right_code_may_lack_is_no_departure(judged):
    """Positions that a mask is made of are one's own affair; the scores that it hides are not."""
    source = (
        find("window")
        .solution()
        .replace(
            "seen = (age >= 0) & (age < window)",
            "seen = (places[:, None] > places) & (places[:, None] - places < window)",
        )
    )
    source = source.replace("    age = places[:, None] - places[None, :]  # (length, length)\n", "")
    assert judged("window", source).departure.milestone == "masked_scores"


@pytest.mark.costly
def test_a_group_that_shares_its_keys_repeats_none(judged, root):
    """What the model answer repeats for each head, a product by groups takes as it is."""
    path = root / "tests" / "corpus" / "right" / "gqa_rope_five_axes_terse.py"
    source = path.read_text("utf-8")
    assert source.count("w.softmax(-1)") == 1
    report = judged("gqa-rope", source.replace("w.softmax(-1)", "w.softmax(-1) * 1.01"))
    assert report.verdict == "fail"
    assert report.departure.milestone == "context"


@pytest.mark.parametrize("given", ["context[0]", "context.sum()", "context[:0, :0, 0]"])
def test_an_output_without_its_samples_mixes_none(bench, tmp_path, given):
    """What is of another shape than a batch of samples is told by its shape alone."""
    answer = find("v1").solution()
    assert answer.count("return context") == 1
    file = tmp_path / "mine.py"
    file.write_text(answer.replace("return context", f"return {given}"), "utf-8")
    report = next(bench.judge("v1", [file], Options(seed=1)))
    assert report.verdict == "fail"
    assert report.diagnosis == []
    assert report.departure.milestone == "output"
