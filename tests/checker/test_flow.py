"""The shape flow: axes by name, steps reached, where a wrong answer departs, and how."""

import re

import pytest
from attn_kata.checker.report.message import say
from attn_kata.kata.catalogue import find
from attn_kata.sentences.wording import sentence

HEAD = """\
import math, torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.hidden_dim, self.num_heads = hidden_dim, num_heads
        self.head_dim = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        b, t, _ = x.shape
        split = (b, t, self.num_heads, self.head_dim)
"""
BODY = """\
        q = self.q(x).view(split).transpose(1, 2)
        k = self.k(x).view(split).transpose(1, 2)
        v = self.v(x).view(split).transpose(1, 2)
        products = q @ k.transpose(-2, -1)
        scores = products / math.sqrt(self.head_dim)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        weights = scores.softmax(-1)
        context = weights @ v
        merged = context.transpose(1, 2).reshape(b, t, self.hidden_dim)
        return self.o(merged)
"""
RIGHT = HEAD + BODY
# Wrong in two ways that have no name.
TILES = """
import torch

def flash_attention(query, key, value, block_size, causal=False):
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v = (one.to(wide) for one in (query, key, value))
    high = torch.full_like(q[..., :1], float("-inf"))
    total, made = torch.zeros_like(high), torch.zeros_like(q)
    rows = torch.arange(q.shape[-2], device=q.device)
    for at in range(0, k.shape[-2], block_size):
        scores = q @ k[..., at : at + block_size, :].mT / q.shape[-1] ** 0.5
        if causal:
            ahead = at + torch.arange(scores.shape[-1], device=q.device) > rows[:, None]
            scores = scores.masked_fill(ahead, float("-inf"))
        higher = torch.maximum(high, scores.amax(-1, keepdim=True))
        share, weights = (high - higher).exp(), (scores - higher).exp()
        total = total * share + (weights + 0.01 * weights.sin()).sum(-1, keepdim=True)
        made = made * share + weights @ v[..., at : at + block_size, :].atan().sinh()
        high = higher
    return (made / total).to(query.dtype)
"""
REACHED = [
    "query", "key", "value", "products", "scores", "masked_scores", "weights", "context",
    "by_position", "merged", "output",
]  # fmt: skip


def line_of(source, words):
    """The line on which words stand."""
    return next(n for n, row in enumerate(source.splitlines(), 1) if words in row)


def ticks(report):
    """The milestones of a report's trace, in the order of its steps."""
    return [name for step in report.trace for name in (step.milestone or "").split(", ") if name]


def test_right_code_reaches_every_step(judged):
    """Each step of the model answer is ticked once, in order, and nothing departs."""
    report = judged("mha", RIGHT)
    assert report.verdict == "pass"
    assert ticks(report) == REACHED
    assert report.departure is None
    assert not any(step.missed for step in report.trace)


def test_axes_are_named(judged):
    """Sizes are pairwise distinct, so every axis has its name."""
    report = judged("mha", RIGHT)
    named = {step.milestone: step.axes for step in report.trace if step.milestone}
    assert named["scores"] == ["batch", "heads", "length", "length"]
    assert named["context"] == ["batch", "heads", "length", "head_dim"]
    assert named["merged"] == ["batch", "length", "hidden_dim"]


def test_axes_of_cross_attention(judged, root):
    """Queries and keys have lengths of their own."""
    report = judged("cross", (root / "reference" / "cross.py").read_text("utf-8"))
    named = {step.milestone: step.axes for step in report.trace if step.milestone}
    assert named["scores"] == ["batch", "heads", "query_length", "key_length"]
    assert named["context"] == ["batch", "heads", "query_length", "head_dim"]


def test_axes_of_a_fused_projection(judged, root):
    """Three widths in a row, and what they are cut into."""
    report = judged("causal", (root / "reference" / "causal.py").read_text("utf-8"))
    fused, cut = report.trace[:2]
    assert fused.axes == ["batch", "length", "3·hidden_dim"]
    assert (cut.call, cut.parts, cut.axes) == ("Tensor.chunk", 3, ["batch", "length", "hidden_dim"])


@pytest.mark.parametrize(
    ("old", "new", "milestone", "at", "words"),
    [
        ("sqrt(self.head_dim)", "sqrt(self.hidden_dim)", "scores", "products /", "0.577 times"),
        ("products / math.sqrt(self.head_dim)", "products", "scores", "softmax", ""),
        (".softmax(-1)", ".softmax(-2)", "weights", "softmax", ""),
        ("== 0, float", "!= 0, float", "masked_scores", "masked_fill", ""),
        ("weights @ v", "weights @ k", "context", "weights @ k", ""),
        ("context.transpose(1, 2).reshape", "context.reshape", "merged", "merged =",
         "in other places"),
        ("self.o(merged)", "self.o(merged) + x", "output", "self.o(merged) + x", ""),
    ],
)  # fmt: skip
def test_first_departure(judged, old, new, milestone, at, words):
    """The first step that is not reached is named, with the line that was to make it."""
    source = RIGHT.replace(old, new)
    assert source != RIGHT
    report = judged("mha", source)
    assert report.departure is not None
    assert report.departure.milestone == milestone
    assert report.departure.line == line_of(source, at)
    assert words in report.departure.message
    missed = [step for step in report.trace if step.missed]
    assert [(step.missed, step.line) for step in missed] == [(milestone, report.departure.line)]


def test_heads_viewed_without_transpose(judged):
    """The view has the right values at the wrong positions: it is the step that departs."""
    source = re.sub(
        r"(self\.[qkv]\(x\))\.view\(split\)\.transpose\(1, 2\)",
        r"\1.view(b, self.num_heads, t, self.head_dim)",
        RIGHT,
    )
    report = judged("mha", source)
    assert report.departure.milestone == "query"
    assert report.departure.line == line_of(source, "q = self.q")
    assert report.departure.message == "the values are the expected ones, in other places"


@pytest.mark.costly
def test_nothing_is_said_of_a_line_by_way_of_a_loop(judged):
    """What tiles are gathered in is as large as much else that they hold."""
    report = judged("flash", TILES)
    assert (report.verdict, report.diagnosis, report.mended) == ("fail", [], None)
    assert report.departure is None or report.departure.line is None


def test_scaled_queries(judged):
    """Queries scaled before the product are right: the products are excused."""
    source = RIGHT.replace(
        "        products = q", "        q = q / math.sqrt(self.head_dim)\n        products = q"
    ).replace("products / math.sqrt(self.head_dim)", "products")
    report = judged("mha", source)
    assert report.verdict == "pass"
    assert "products" not in ticks(report)
    assert report.departure is None
    assert "scores" in ticks(report)


def test_loop_over_heads(judged):
    """What a loop makes for one head reaches the step."""
    source = (
        RIGHT[: RIGHT.index("        products =")]
        + """\
        parts = []
        for h in range(self.num_heads):
            scores = q[:, h] @ k[:, h].transpose(-2, -1) / math.sqrt(self.head_dim)
            if attention_mask is not None:
                mask = attention_mask.expand(b, self.num_heads, t, t)[:, h]
                scores = scores.masked_fill(mask == 0, float("-inf"))
            parts.append(scores.softmax(-1) @ v[:, h])
        return self.o(torch.cat(parts, -1))
"""
    )
    report = judged("mha", source)
    assert report.verdict == "pass"
    assert {"products", "scores", "masked_scores", "weights", "context"} <= set(ticks(report))


def test_chinese(judged):
    """How a step differs is said in the report's language."""
    source = RIGHT.replace("sqrt(self.head_dim)", "sqrt(self.hidden_dim)")
    report = judged("mha", source, language="zh")
    assert report.departure.message == "每个值都是应有值的 0.577 倍"


def test_a_report_survives_its_plain_form(judged):
    """Departure and steps come back from JSON's form as they were."""
    report = judged("mha", RIGHT.replace("sqrt(self.head_dim)", "sqrt(self.hidden_dim)"))
    again = type(report).from_dict(report.to_dict())
    assert again == report
    assert "heat" not in report.to_dict()


LOOPS = """\
import math, torch
from torch import nn

class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.q(x), self.k(x), self.v(x)
        out = []
        for n in range(b):
            for i in range(t):
                scores = []
                for j in range(t):
                    total = torch.zeros((), dtype=x.dtype)
                    for c in range(d):
                        total = total + q[n, i, c] * k[n, j, c]
                    scores.append(total / math.sqrt(SCALE))
                weights = torch.stack(scores).softmax(-1)
                out.append(weights @ v[n])
        return torch.stack(out).view(b, t, d)
"""


@pytest.mark.costly
def test_a_loop_over_everything(judged):
    """A loop over everything is traced whole, and named like any other code."""
    report = judged("v1", LOOPS.replace("SCALE", "t"), timeout=60.0)
    assert len(report.trace) > 700
    assert [d.mistake for d in report.diagnosis] == ["scale-by-length"]
    assert report.departure is not None


UNMAPPED = '''\
import math, torch
from torch import nn

exec("""
class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose(-2, -1)
        return scores.softmax(-1) @ self.v(x)
""")
'''


def test_source_that_cannot_be_mapped(judged):
    """Code made by exec gets its mistake's name, without a line."""
    report = judged("v1", UNMAPPED)
    assert [(d.mistake, d.line) for d in report.diagnosis] == [("scale-missing", None)]
    assert report.departure.milestone == "scores"
    assert report.departure.line is None
    assert {step.line for step in report.trace} == {None}


def wrapped(decorator):
    """A class whose forward is wrapped, and scales by nothing."""
    return f"""\
import functools, torch
from torch import nn

def noted(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    return inner

class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)

    {decorator}
    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose(-2, -1)
        return scores.softmax(-1) @ self.v(x)
"""


def test_decorated_forward(judged):
    """A decorator does not take the line away."""
    source = wrapped("@noted")
    report = judged("v1", source)
    assert [d.mistake for d in report.diagnosis] == ["scale-missing"]
    assert report.diagnosis[0].line in {line_of(source, "scores ="), line_of(source, "softmax")}


def test_forward_in_c(judged):
    """A forward that is no Python function at all is judged without lines."""
    source = wrapped("@noted").replace(
        "        return scores.softmax(-1) @ self.v(x)",
        "        return scores.softmax(-1) @ self.v(x)\n\n"
        "SelfAttentionV1.forward = functools.partialmethod(SelfAttentionV1.forward)",
    )
    report = judged("v1", source)
    assert [d.mistake for d in report.diagnosis] == ["scale-missing"]


def test_weights_that_the_trace_confirms_are_not_doubted(judged):
    """Where every projection is reached, the step that departs is said, and no layout doubted."""
    wrong = find("gqa").solution().replace("math.sqrt(self.head_dim)", "math.sqrt(query.shape[1])")
    report = judged("gqa", wrong)
    assert report.departure.milestone == "scores"
    assert report.departure.line == line_of(wrong, "math.sqrt(query.shape[1])")
    values = next(check.detail for check in report.checks if check.id == "values")
    assert sentence(say("direct-unread"), "en") not in values


@pytest.mark.parametrize("kata", ["causal", "window"])
@pytest.mark.parametrize("fill", ["-inf", "-1e9", "-1e30"])
def test_a_mask_made_beside_wrong_scores(judged, kata, fill):
    """A causal mask is right whatever the scores are, and its fill covers no other difference."""
    wrong = re.sub(
        r"torch\.finfo\(scores\.dtype\)\.min|float\(\"-inf\"\)", f'float("{fill}")',
        find(kata).solution().replace("= products / ", "= products / 1.3 / "),
    )  # fmt: skip
    report = judged(kata, wrong, diagnose=False)
    assert report.departure.milestone == "scores"
    assert report.departure.line == line_of(wrong, "/ 1.3 /")


@pytest.mark.parametrize("kata", ["mha", "causal", "gqa", "sdpa"])
def test_what_was_not_tried_waits(judged, kata):
    """Dtypes and prefixes are asked for, and tried where values are right: they wait till then."""
    right = {check.id: check for check in judged(kata, find(kata).solution()).checks}
    wrong = find(kata).solution().replace("math.sqrt(", "math.exp(")
    checks = {check.id: check for check in judged(kata, wrong, diagnose=False).checks}
    assert checks["values"].status == "fail"
    for name in ("dtypes", "causality"):
        asked = right[name].status == "pass"
        assert (checks[name].detail == sentence(say("not-asked"), "en")) is not asked
