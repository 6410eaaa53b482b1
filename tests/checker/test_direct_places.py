"""Where mistakes in functions are made, beside where they show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from attn_kata.checker.client import Options
from attn_kata.kata.catalogue import find
from attn_kata.sentences.wording import worded

WRONG = Path(__file__).parent.parent / "corpus" / "wrong"
# One file for each way in which a line is followed.
FILES = [
    "alibi_causal-from-start_mask_alone",
    "backward_two_overflow_scaled",
    "beam-search_parents_of_the_step_before",
    "causal_keys_before_the_query",
    "cross-entropy_uniform_part_without_sum",
    "drill_expand_slopes-wrong-axis_bare",
    "drill_mask_mask-dtype_one_minus",
    "drill_softmax_gradient-nan_bias",
    "drill_softmax_two_axis_keepdims",
    "flash_max-from-zero_helper",
    "flash_max-not-carried_query_tiles",
    "gated-linear_written_before_it_is_read",
    "kvcache_cache-changed-in-place_pair_of_lists",
    "sdpa_mask-or-causal_elif",
    "sdpa_scale-by-value-dim",
    "sdpa_two_reshaped_ored",
]
CAUSAL_FOR_EVERY_HEAD = """\
import math
import torch

def attention(query, key, value, mask=None, causal=False):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask != 0, -torch.inf)
    if causal:
        ahead = torch.ones_like(scores).triu(key.shape[-2] - query.shape[-2])
        scores = scores.masked_fill(ahead == 1, -torch.inf)
    return scores.softmax(-1) @ value
"""
OWN_SOFTMAX = """\
import torch

def softmax(x, dim=-1):
    powers = (x - x.amax(dim, keepdim=True)).exp()
    return powers / powers.sum(dim, keepdim=True)

def log_sum_exp(x, dim=-1):
    top = x.amax(dim, keepdim=True)
    return ((x - top).exp().sum(dim, keepdim=True).log() + top).squeeze(dim)

def masked_softmax(scores, mask):
    hidden = scores.masked_fill(mask == 0, -torch.inf)
    return softmax(hidden)
"""
LONGEST = """\
import torch

def padding_mask(lengths, max_length):
    longest = int(lengths.max())
    places = torch.arange(longest, device=lengths.device)
    return places < lengths[:, None]
"""
WRITTEN = """\
def share_keys(key, heads):
    return key[:, None].expand(-1, heads, -1, -1)

def silence_head(key, heads, head):
    many = share_keys(key.clone(), heads)
    many[:, head] = 0.0
    return many
"""


def told(bench, kata: str, path: Path) -> set[tuple[str, int | None]]:
    """The mistakes that a report names, each with its line."""
    report = worded(next(bench.judge(kata, [path], Options(seed=3))), "en")
    assert report.verdict in {"fail", "error"}
    return {(one.mistake, one.line) for one in report.diagnosis}


@pytest.mark.costly
@pytest.mark.parametrize("name", FILES)
def test_corpus_lines(bench, name: str) -> None:
    """These files are named whole, each mistake on its line."""
    path = WRONG / f"{name}.py"
    header = path.read_text("utf-8").split("\n", 1)[0]
    wanted = {(one, int(line)) for one, line in re.findall(r"([a-z-]+) line (\d+)", header)}
    assert told(bench, header.split()[2], path) == wanted


@pytest.mark.parametrize(
    ("kata", "text", "wanted"),
    [
        ("sdpa", CAUSAL_FOR_EVERY_HEAD, {("mask-inverted", 7), ("causal-excludes-self", 9)}),
        ("drill-softmax", OWN_SOFTMAX, {("empty-row-not-zero", 13)}),
        ("drill-mask", LONGEST, {("length-from-longest", 4)}),
        # The clone comes too early: behind what expands it would do.
        ("drill-expand", WRITTEN, {("expand-written", 5)}),
    ],
)
def test_lines(bench, tmp_path: Path, kata: str, text: str, wanted: set[tuple[str, int]]) -> None:
    """A line inside another function that is asked for is never blamed, nor a later use."""
    path = tmp_path / "mine.py"
    path.write_text(whole(kata, text))
    assert told(bench, kata, path) == wanted


def whole(kata: str, text: str) -> str:
    """A text, and behind it the model answer's functions that it leaves out."""
    own = re.findall(r"^def (\w+)", text, re.MULTILINE)
    rest = re.split(r"^(?=def )", find(kata).solution(), flags=re.MULTILINE)[1:]
    others = [part for part in rest if part[4:].partition("(")[0] not in own]
    return text + "\nimport torch\nfrom torch import Tensor\n\n" + "".join(others)


def test_a_helpers_mistake_is_told_once(judged):
    """Who calls a function that is wrong has no mistake of its own, though it fails."""
    source = """\
import math
import torch

def slopes(heads):
    return 2.0 ** (-torch.arange(1.0, heads + 1))

def bias(heads, query_length, key_length):
    offset = torch.arange(key_length) - torch.arange(key_length - query_length, key_length)[:, None]
    return (slopes(heads)[:, None, None] * offset).masked_fill(offset > 0, -math.inf)

def attention(query, key, value):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    scores = scores + bias(query.shape[1], query.shape[2], key.shape[2]).to(scores)
    return scores.softmax(-1) @ value
"""
    report = judged("alibi", source)
    assert [(one.mistake, one.line) for one in report.diagnosis] == [("alibi-slopes-halving", 5)]
    assert [part.status for part in report.functions] == ["fail"] * 3
