"""The attention weights that a report carries where they are asked for."""

import pytest
from attn_kata.kata.catalogue import katas

# A kernel leaves no steps to be shown.
WITH_STEPS = [kata for kata in katas() if not kata.kernels]


def answer(root, kata):
    """A model answer's source."""
    return (root / "reference" / f"{kata}.py").read_text("utf-8")


def close(left, right):
    """Whether two grids hold the same numbers."""
    return all(
        abs(a - b) < 1e-9
        for one, two in zip(left, right, strict=True)
        for row, other in zip(one, two, strict=True)
        for a, b in zip(row, other, strict=True)
    )


@pytest.mark.each_kata
@pytest.mark.parametrize("kata", WITH_STEPS, ids=lambda kata: kata.id)
def test_right_code_has_the_expected_weights(judged, kata):
    """Every query shares out one, nothing goes to what is masked, and both sides agree.

    What a sink takes is no key's. Where the model answer makes no weights, the kata says why, and
    nothing is shown.
    """
    heat = judged(kata.id, kata.solution(), heat=True).heat
    assert (heat is None) == (kata.no_weights is not None)
    if heat is None:
        return
    assert heat.reached
    assert heat.line is not None
    assert close(heat.actual, heat.expected)
    for head, masked in zip(heat.expected, heat.masked, strict=True):
        for row, shut in zip(head, masked, strict=True):
            assert sum(row) == pytest.approx(1) or (kata.id == "sinks" and 0 < sum(row) < 1)
            assert all(value == 0 for value, hidden in zip(row, shut, strict=True) if hidden)


def test_only_where_it_is_asked_for(judged, root):
    """A report has no weights unless they are wanted."""
    assert judged("v1", answer(root, "v1")).heat is None


def test_causal_masks_what_comes_later(judged, root):
    """In causal attention a query's later keys are masked, and no others."""
    heat = judged("causal", answer(root, "causal"), heat=True).heat
    for masked in heat.masked:
        length = range(len(masked))
        assert masked == [[key > query for key in length] for query in length]


def test_wrong_weights_come_from_softmax(judged, root):
    """Where the weights are not reached, what came out of softmax is shown."""
    source = answer(root, "mha").replace("softmax(dim=-1)", "softmax(dim=-2)")
    heat = judged("mha", source, heat=True).heat
    assert not heat.reached
    assert heat.line is not None
    columns = [sum(column) for column in zip(*heat.actual[0], strict=True)]
    assert columns == pytest.approx([1] * len(columns))
    assert not close(heat.actual, heat.expected)


def test_without_softmax_there_are_none(judged, root):
    """Where nothing is made like weights, the expected ones stand alone."""
    source = answer(root, "v1").replace("scores.softmax(dim=-1)", "scores")
    heat = judged("v1", source, heat=True).heat
    assert heat.actual == []
    assert len(heat.expected) == 1


def test_one_head_where_several_are_asked(judged, root):
    """Heads that were never split give one grid beside the expected ones."""
    source = answer(root, "mha").replace(
        "split = (batch, length, self.num_heads, self.head_dim)",
        "split = (batch, length, 1, self.hidden_dim)",
    )
    heat = judged("mha", source, heat=True).heat
    assert len(heat.expected) > 1
    assert len(heat.actual) == 1


FOLDED = """\
        weights = masked_scores.flatten(0, 1).softmax(dim=-1).view(batch, -1, length, length)
"""


ROW_BY_ROW = """\
        rows = [row.softmax(-1) for one in masked_scores for head in one for row in head]
        weights = torch.stack(rows).view(masked_scores.shape)
"""


@pytest.mark.parametrize(
    "line",
    [
        FOLDED,
        "        weights = torch.stack([one.softmax(-1) for one in masked_scores.unbind(1)], 1)\n",
        "        weights = masked_scores.transpose(-2, -1).softmax(dim=-2).transpose(-2, -1)\n",
        ROW_BY_ROW,
    ],
)
def test_layouts(judged, root, line):
    """Folded heads, a head a tensor, transposed and row by row: the same grid."""
    source = answer(root, "mha")
    old = next(row for row in source.splitlines(keepends=True) if ".softmax(" in row)
    heat = judged("mha", source.replace(old, line), heat=True).heat
    assert close(heat.actual, heat.expected)


GROUPED = """\
        grouped = masked_scores.unflatten(1, (-1, self.group_size))
        weights = grouped.softmax(-1).flatten(1, 2)
"""
HEAD_BY_HEAD = """\
        weights = torch.cat([one.softmax(-1) for one in masked_scores.split(2, 1)], 1)
"""


@pytest.mark.parametrize("line", [GROUPED, HEAD_BY_HEAD])
def test_layouts_of_groups(judged, root, line):
    """Heads on two axes, and a few heads at a time: the same grid."""
    source = answer(root, "gqa")
    old = next(row for row in source.splitlines(keepends=True) if ".softmax(" in row)
    report = judged("gqa", source.replace(old, line), heat=True)
    assert report.verdict == "pass"
    assert close(report.heat.actual, report.heat.expected)


def test_of_several_functions_the_first_that_has_them(judged, root):
    """What goes wrong in another function leaves the weights as they are."""
    source = answer(root, "drill_mask").replace("places < lengths", "places <= lengths")
    report = judged("drill-mask", source, heat=True)
    assert report.verdict == "fail"
    assert report.heat.case.startswith("`masked_weights`")
    assert report.heat.reached


def test_unjudged_code_has_none(judged):
    """A file that cannot be judged has no weights."""
    assert judged("v1", "x = 1\n", heat=True).heat is None
