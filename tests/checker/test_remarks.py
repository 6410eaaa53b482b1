"""Every remark is made where it is due, on its line, and takes nothing away from a pass."""

import pytest
from attn_kata.checker.report.ids import REMARK_IDS

MHA = """\
import math
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        b, t, w = x.shape
        split = (b, t, self.h, self.d)
        q, k, v = (f(x).view(split).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        if attention_mask is not None:
            lowest = torch.finfo(scores.dtype).min
            scores = scores.masked_fill(attention_mask == 0, lowest)
        weights = self.drop(scores.softmax(-1))
        return self.o((weights @ v).transpose(1, 2).reshape(b, t, w))
"""
V1 = """\
import math
import torch
from torch import nn

class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(x.shape[-1])
        return self.o(scores.softmax(-1) @ v)
"""

ROPE = """\
import torch
from torch import nn

def turned(x, angles):
    a, b = x.chunk(2, -1)
    cos, sin = angles.cos().to(x), angles.sin().to(x)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.d, self.share = hidden_dim // num_heads, num_heads // num_kv_heads
        self.q = nn.Linear(hidden_dim, num_heads * self.d)
        self.k = nn.Linear(hidden_dim, num_kv_heads * self.d)
        self.v = nn.Linear(hidden_dim, num_kv_heads * self.d)
        self.o = nn.Linear(num_heads * self.d, hidden_dim)
        rates = base ** (-torch.arange(0, self.d, 2).float() / self.d)
        self.register_buffer("rates", rates)

    def forward(self, x, cache=None):
        made = (self.q(x), self.k(x), self.v(x))
        q, k, v = (one.unflatten(-1, (-1, self.d)).transpose(1, 2) for one in made)
        past = 0 if cache is None else cache[0].shape[2]
        places = torch.arange(past, past + x.shape[1], device=x.device)
        angles = places.to(self.rates)[:, None] * self.rates
        q, k = turned(q, angles), turned(k, angles)
        if cache is not None:
            k, v = (torch.cat(pair, 2) for pair in zip(cache, (k, v)))
        every = torch.arange(k.shape[2], device=x.device)
        keys, values = (one.repeat_interleave(self.share, 1) for one in (k, v))
        scores = q @ keys.transpose(-2, -1) * self.d**-0.5
        weights = scores.masked_fill(every > places[:, None], float("-inf")).softmax(-1)
        return self.o((weights @ values).transpose(1, 2).flatten(2)), (k, v)
"""

# Sums that run over the keys in the inputs' own dtype.
FOLD = """
import functools

import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size, dropout=0.0):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.q, self.k, self.v, self.o = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        q, k, v = (one(x).unflatten(-1, (self.h, self.d)) for one in (self.q, self.k, self.v))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.d**0.5
        places = torch.arange(x.shape[1], device=x.device)
        scores = scores.masked_fill(places[:, None] < places, float("-inf"))
        total = functools.reduce(torch.logaddexp, scores.unbind(-1))
        weights = self.drop((scores - total[..., None]).exp())
        return self.o(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2))
"""

# What is written, in place of what, under which kata, and the words of the remark's line.
CASES = {
    "prints": (
        "mha", "        weights =", "        print(scores.shape)\n        weights =", "print(",
    ),
    "fill-overflows-half": (
        "mha", "attention_mask == 0, lowest", "attention_mask == 0, -1e9", "-1e9",
    ),
    "nan-on-empty-row": (
        "mha", "attention_mask == 0, lowest", 'attention_mask == 0, float("-inf")', "-inf",
    ),
    "dropout-unused": (
        "mha", "self.drop(scores.softmax(-1))", "scores.softmax(-1)", "self.drop = nn.Dropout",
    ),
    "dropout-not-applied": (
        "mha", "        self.drop = nn.Dropout(dropout)\n", "", "dropout=0.1",
    ),
    "returns-tuple": (
        "mha", "return self.o((weights @ v).transpose(1, 2).reshape(b, t, w))",
        "return self.o((weights @ v).transpose(1, 2).reshape(b, t, w)), weights", "return self.o",
    ),
    "mask-form": (
        "mha", "attention_mask == 0, lowest", "~attention_mask, lowest", "attention_mask",
    ),
    "mask-without-default": (
        "mha", "attention_mask=None", "attention_mask", "def forward",
    ),
    "argument-unknown": (
        "mha", "x, attention_mask=None", "x, start_pos, attention_mask=None", "def forward",
    ),
    "switch-off": (
        "causal", "x, attention_mask=None", "x, is_causal=False", "def forward",
    ),
    "output-projection-extra": ("v1", "", "", "self.o = nn.Linear"),
    "buffer-rounded": ("gqa-rope", "", "", "self.register_buffer"),
    "sum-stalls": ("fold", "", "", "torch.logaddexp"),
    "float64-raises": (
        "mha", "q @ k.transpose(-2, -1)",
        "(q.to(torch.promote_types(q.dtype, torch.float32)) @ k.float().mT).to(v.dtype)", "k.float",
    ),
    "parameter-unused": (
        "mha", "        self.drop =",
        "        self.spare = nn.Parameter(torch.ones(3))\n        self.drop =", "self.spare =",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_remark_on_its_line(judged, name):
    """The remark is made with its line, and the verdict stays a pass."""
    kata, old, new, words = CASES[name]
    source = {"v1": V1, "gqa-rope": ROPE, "fold": FOLD}.get(kata, MHA).replace(old, new)
    kata = {"fold": "causal"}.get(kata, kata)
    if name == "switch-off":
        source = source.replace("attention_mask is not None", "is_causal")
        source = source.replace("attention_mask == 0", "torch.ones(t, t).triu(1).to(x) == 1")
    if name == "dropout-not-applied":
        source = source.replace("self.drop(scores.softmax(-1))", "scores.softmax(-1)")
    report = judged(kata, source)
    assert report.verdict == "pass", report.diagnosis
    remarks = {remark.id: remark for remark in report.remarks}
    assert name in remarks
    lines = source.splitlines()
    line = next(n for n, row in enumerate(lines, 1) if words in row)
    assert remarks[name].line == line
    assert remarks[name].message


def test_sums_that_stall_hide_no_rounded_positions(judged):
    """Positions that are compared in bfloat16 are wrong where sums are exact."""
    exact = FOLD.replace(
        "functools.reduce(torch.logaddexp, scores.unbind(-1))", "scores.logsumexp(-1)"
    )
    report = judged("causal", exact)
    assert (report.verdict, report.remarks) == ("pass", [])
    report = judged("causal", exact.replace("device=x.device)", "device=x.device).to(x.dtype)"))
    assert [one.mistake for one in report.diagnosis] == ["distance-rounded"]


def test_no_dropout_at_all(judged):
    """Where the constructor asks for no rate either, there is no line to point at."""
    source = MHA.replace(", dropout=0.1", "").replace(
        "        self.drop = nn.Dropout(dropout)\n", ""
    )
    report = judged("mha", source.replace("self.drop(scores.softmax(-1))", "scores.softmax(-1)"))
    assert [(r.id, r.line) for r in report.remarks] == [("dropout-not-applied", None)]


@pytest.mark.parametrize("called", [False, True])
def test_a_print_where_the_object_is_made(judged, called):
    """Of that nobody says that it runs on every call; it does not hide one that does."""
    source = MHA.replace("        self.drop =", "        print(dropout)\n        self.drop =")
    if called:
        source = source.replace("        weights =", "        print(t)\n        weights =")
    (told,) = [remark for remark in judged("mha", source).remarks if remark.id == "prints"]
    text, says = ("print(t)", "on every call") if called else ("print(dropout)", "object is made")
    assert text in source.splitlines()[told.line - 1]
    assert says in told.message


def test_every_remark_has_a_case():
    """No remark goes untried."""
    assert set(CASES) == set(REMARK_IDS)


def test_clean_code_has_no_remark(judged):
    """Code that gives no occasion gets none."""
    assert judged("mha", MHA).remarks == []


def test_no_remark_on_a_table_that_stays_wide(judged):
    """A table that is made where it is used follows nothing."""
    made = "self.rates = None\n        self.base = base"
    source = ROPE.replace('self.register_buffer("rates", rates)', made).replace(
        "angles = places.to(self.rates)[:, None] * self.rates",
        "rates = self.base ** (-torch.arange(0, self.d, 2, device=x.device).float() / self.d)\n"
        "        angles = places[:, None] * rates",
    )
    assert not judged("gqa-rope", source).remarks


def test_positions_in_half_precision_beside_bare_weights(judged):
    """Where the file keeps tensors, positions that are made in the input's dtype still fail."""
    source = ROPE.replace("places.to(self.rates)[:, None]", "places.to(x.dtype)[:, None]")
    report = judged("gqa-rope", source)
    assert report.verdict == "fail"
