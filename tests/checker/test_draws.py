"""What inputs are drawn for: which are one tensor, how they lie, how far whole numbers go."""

from __future__ import annotations

import pytest
import torch
from attn_kata.checker.judge.case import Case
from attn_kata.checker.judge.draw import cases
from attn_kata.checker.judge.drawing import draw
from attn_kata.kata.catalogue import find, katas


def drawn(kata: str, name: str) -> list[tuple[Case, dict[str, torch.Tensor]]]:
    """What is drawn for each case of a function."""
    asked = find(kata).asked
    function = next(one for one in asked.functions if one.name == name)
    generator = torch.Generator().manual_seed(0)
    return [
        (case, draw(function, case, generator).tensors) for case in cases(function, asked.sizes)
    ]


def test_tensors_of_one_shape_lie_otherwise() -> None:
    """Whoever reads one with another's strides gets other numbers."""
    tensors = dict.fromkeys(("query", "key", "value"), torch.zeros(2, 3, 4)) | {"of": torch.ones(3)}
    lying = Case(check="values", sizes={}, lies="apart").lying(tensors)
    assert lying == {"query": "apart", "key": "turned", "value": "apart"}
    assert {*Case(check="values", sizes={}, lies="turned").lying(tensors).values()} == {"turned"}


@pytest.mark.parametrize("test", ["query is key", "key is value"])
def test_what_two_of_three_inputs_tell_is_not_said_of_the_third(judged, test: str) -> None:
    """Two are one tensor and the third another, in either way."""
    source = find("attention-module").solution()
    third = "value = query" if test == "query is key" else "query = key"
    first = "        batch, target, _ = query.shape\n"
    assert first in source
    one = f"        if {test} and not (query is key is value):\n            {third}\n"
    report = judged("attention-module", source.replace(first, one + first), diagnose=False)
    assert report.verdict == "fail"


@pytest.mark.parametrize("kata", ["mha", "window", "v3"])
def test_gradients_are_asked_for_at_long_lengths(judged, kata: str) -> None:
    """What is cut off beyond some length alone, as in pieces, is found."""
    source = find(kata).solution()
    line = next(one for one in source.splitlines() if "softmax(" in one and "weights" in one)
    short = line[: len(line) - len(line.lstrip())]
    cut = f"{short}weights = weights.detach() if weights.shape[-1] > 60 else weights"
    report = judged(kata, source.replace(line, f"{line}\n{cut}"))
    assert {one.id for one in report.checks if one.status == "fail"} == {"gradients"}
    assert "detached" in {one.mistake for one in report.diagnosis}


def test_whole_numbers_lie_beyond_by_turns() -> None:
    """A token's parent may lie so far before the first that an index from the end meets none."""
    several = drawn("tree-mask", "tree_mask")
    far = [tensors["back"] for case, tensors in several if case.turn % 2]
    assert far
    assert all(int(back[-1]) == 2 * len(back) for back in far)
    near = [tensors["back"] for case, tensors in several if not case.turn % 2]
    assert all(int(back.max()) <= max(1, len(back) // 4) for back in near)


PADDED = [
    (kata.id, function.name)
    for kata in katas() for function in kata.asked.functions
    if function.mask is not None and "padding" in function.mask.masks
]  # fmt: skip


@pytest.mark.parametrize(("kata", "name"), PADDED)
def test_one_sample_alone_has_no_padding(kata: str, name: str) -> None:
    """The first, the last or none: whoever looks at one sample's mask alone is found out."""
    mask = find(kata).asked.function(name).mask
    assert mask is not None
    padded = [tensors[mask.name] for case, tensors in drawn(kata, name) if case.mask == "padding"]
    whole = {
        tuple(bool(sample.all()) for sample in (one[0], one[-1]))
        for one in padded if len(one) > 1 and one.shape[-1] > 1
    }  # fmt: skip
    assert whole == {(True, False), (False, True), (False, False)}


def test_what_is_packed_fills_its_buffer_by_turns() -> None:
    """And the last of it is empty: it begins where the buffer ends."""
    several = drawn("varlen", "document_mask")
    lengths = [(case, tensors["lengths"]) for case, tensors in several]
    full = [one for case, one in lengths if int(one.sum()) == case.sizes["T"] and len(one) > 1]
    assert any(int(one[-1]) == 0 for one in full)
    assert all(int(one.sum()) <= case.sizes["T"] for case, one in lengths)


def test_rows_are_filled_with_a_class_that_is_never_a_target() -> None:
    """The class to ignore may be none, or any: the others lie below it as well as above."""
    several = drawn("cross-entropy", "cross_entropy")
    by_filler = {2: list[torch.Tensor](), -100: list[torch.Tensor]()}
    for case, tensors in several:
        by_filler.get(int(case.chosen["ignore_index"]), []).append(tensors["targets"])
    for filler, many in by_filler.items():
        targets = torch.cat([one.flatten() for one in many])
        assert bool((targets == filler).any())
        assert {0, 1} <= {*targets[targets != filler].tolist()}
        # Each row begins with two that count.
        assert all(bool((one[:, :2] != filler).all()) for one in many)


@pytest.mark.parametrize(("kata", "result", "told"), [
    ("sdpa", "output", True), ("window", "output", True), ("rope", "joined.to(x.dtype)", False),
])  # fmt: skip
def test_a_result_has_the_dtype_of_what_is_given(
    judged, kata: str, result: str, told: bool
) -> None:
    """In float64 a float32 result fails in functions as in classes; RoPE's brief leaves it open."""
    source = find(kata).solution()
    assert f"return {result}\n" in source
    report = judged(kata, source.replace(f"return {result}\n", f"return ({result}).float()\n"))
    assert ("dtype-hardcoded" in {one.mistake for one in report.diagnosis}) is told
    assert (report.verdict == "fail") is told


def test_whole_numbers_follow_a_rule_once() -> None:
    """Equal lengths, and a last step in which no beam moved, are what shortcuts ask for."""
    lengths = [t["lengths"] for case, t in drawn("beam-search", "best_sequence") if case.regular]
    assert lengths
    assert all(len(one.unique()) == 1 for one in lengths)
    parents = [t["parents"] for case, t in drawn("beam-search", "trace_back") if case.regular]
    assert any(bool((one[-1] == torch.arange(one.shape[-1])).all()) for one in parents)


def test_positions_end_where_a_table_is_full() -> None:
    """Before any that are further, so that nothing has made the table longer."""
    several = [(case, t["positions"]) for case, t in drawn("rope", "rope_half_split")]
    reached = [int(one.max()) for case, one in several if case.reach]
    assert reached == [128, 256, 512, 1024, 2048]
    first = next(n for n, (case, _) in enumerate(several) if case.reach)
    assert all(int(one.max()) < 128 for _, one in several[:first])


def test_a_row_of_a_batch_alone_is_padded() -> None:
    """The first, the last or none is whole: one row tells nothing of the others."""
    several = [t["tokens"] for _, t in drawn("minigpt", "next_token_loss")]
    padded = [one for one in several if len(one) > 1 and bool((one == 0).any())]
    whole = {(bool((one[0] != 0).all()), bool((one[-1] != 0).all())) for one in padded}
    assert {(True, False), (False, True)} <= whole


def test_all_scores_may_be_zero() -> None:
    """A fill that is measured by the scores hides nothing then."""
    blank = [t["scores"] for case, t in drawn("drill-mask", "masked_weights") if case.zeros]
    assert any(not one.any() for one in blank)
