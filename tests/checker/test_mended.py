"""A small edit that makes wrong calls right proves the line, and is shown."""

import ast
from dataclasses import replace

import pytest
from attn_kata.checker import Mending, findings
from attn_kata.checker.diagnose.edits.likeness import Change
from attn_kata.checker.diagnose.edits.small_edits import small_edits
from attn_kata.checker.diagnose.edits.upstream import guards, upstream
from attn_kata.kata.catalogue import find
from attn_kata.practice.debug.veil import veiled

ALIBI = """
import math

import torch


def powers(count):
    return [2 ** (-8 * (i + 1) / count) for i in range(count)]


def slopes(heads):
    closest = 2 ** int(math.log2(heads))
    others = powers(2 * closest)[1::2]
    return torch.tensor(powers(closest) + others[: heads - closest])


def bias(heads, query_length, key_length):
    rows = torch.arange(key_length - query_length, key_length)[:, None]
    apart = torch.arange(key_length) - rows
    made = slopes(heads)[:, None, None] * apart
    return made.masked_fill(apart > 0, -math.inf)


def attention(query, key, value):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    made = bias(query.shape[1], query.shape[2], key.shape[2])
    return (scores + made.to(scores)).softmax(-1) @ value
"""
MHA = """
import torch
from torch import nn


class Geometry:
    def __init__(self, width, heads):
        self.width, self.heads = width, heads
        self.each = width // heads
        self.scale = self.width**-0.5


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.sizes = Geometry(hidden_dim, num_heads)
        self.q, self.k, self.v, self.o = (nn.Linear(hidden_dim, hidden_dim) for _ in range(4))

    def forward(self, x, attention_mask=None):
        q, k, v = (one(x).unflatten(-1, (self.sizes.heads, -1)) for one in (self.q, self.k, self.v))
        scores = torch.einsum("bihd,bjhd->bhij", q, k) * self.sizes.scale
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        return self.o(torch.einsum("bhij,bjhd->bihd", scores.softmax(-1), v).flatten(2))
"""
ROPE = """
import torch


def turned(x):
    first, second = x.chunk(2, -1)
    return torch.cat((second, -first), -1)


def angles(x, positions, base):
    rates = base ** (-torch.arange(0, x.shape[-1], 2, device=x.device) / x.shape[-1])
    return (positions[..., None] * rates).to(torch.float64)


def rope_half_split(x, positions, base=10000):
    made = angles(x, positions, base)
    made = torch.cat((made, made), -1)
    return (x * made.cos() + turned(x) * made.sin()).to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    made = angles(x, positions, base).repeat_interleave(2, -1)
    pairs = torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
    return (x * made.cos() + pairs * made.sin()).to(x.dtype)
"""
TREE = """
import torch


def tree_mask(back):
    print("mask", 0)
    seen = torch.eye(len(back), dtype=torch.bool, device=back.device)
    for token, step in enumerate(back.tolist()):
        while token - step > 0:
            token -= step
            seen[len(seen) - 1, token] = True
            step = int(back[token])
    return seen


def tree_attention(query, key, value, back):
    seen = tree_mask(back)
    prefix = seen.new_ones(len(back), key.shape[2] - len(back))
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return scores.masked_fill(~torch.cat((prefix, seen), 1), -torch.inf).softmax(-1) @ value
"""
MQA = """
import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        head = hidden_dim // num_heads
        shapes = {
            "query": (hidden_dim, num_heads, head), "key": (hidden_dim, head),
            "value": (hidden_dim, head), "out": (num_heads, head, hidden_dim),
        }
        self.w = nn.ParameterDict({n: nn.Parameter(torch.randn(s)) for n, s in shapes.items()})

    def forward(self, x, attention_mask=None):
        q = torch.einsum("zue,emc->zmuc", x, self.w["query"])
        k, v = x @ self.w["key"], x @ self.w["value"]
        scores = torch.einsum("zmuc,zsc->zmus", q, k) / k.shape[-1] ** 0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, -1e4)
        weights = scores.softmax(-1)
        made = torch.einsum("zmsu,zsc->zmuc", weights, v)
        return torch.einsum("zmuc,mce->zue", made, self.w["out"])
"""
BY_HAND = """
import torch
from torch import nn


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores):
        made = scores.softmax(-1)
        ctx.save_for_backward(made)
        return made

    @staticmethod
    def backward(ctx, grad):
        (made,) = ctx.saved_tensors
        inner = (made * grad).sum(-1, keepdim=True)
        return made * (grad - inner)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(hidden_dim, hidden_dim) for _ in range(3))

    def forward(self, x):
        scores = self.q(x) @ self.k(x).mT / x.shape[-1] ** 0.5
        return Softmax.apply(scores) @ self.v(x)
"""
LINEAR = """
import torch


def features(x):
    return torch.nn.functional.elu(x) + 1


def linear_attention(query, key, value):
    q, k = features(query), features(key)
    state = k.transpose(-2, -1) @ value
    return q @ state / (q @ k.sum(dim=-2).unsqueeze(-1))


def causal_linear_attention(query, key, value):
    q, k = features(query), features(key)
    states = torch.cumsum(k.unsqueeze(-1) * value.unsqueeze(-2), dim=-3)
    keys = torch.cumsum(k, dim=-1)
    seen = (q.unsqueeze(-2) @ states).squeeze(-2)
    return seen / (q * keys).sum(dim=-1, keepdim=True)
"""
V2 = """
import math

import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x):
        query, key, value = self.qkv(x).chunk(3, dim=1)
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        return scores.softmax(dim=-1) @ value
"""
FLASH = """
import math

import torch


def flash_attention(query, key, value, block_size, causal=False):
    length, keys = query.shape[-2], key.shape[-2]
    rows = torch.arange(length, device=query.device)[:, None]
    most = query.new_full(query.shape[:-1], -math.inf)
    total = torch.zeros_like(most)
    made = query.new_zeros(*query.shape[:-1], value.shape[-1])
    for start in range(0, keys, block_size):
        block = key[..., start : start + block_size, :]
        scores = query @ block.mT / math.sqrt(query.shape[-1])
        if causal:
            places = torch.arange(start, start + block.shape[-2], device=query.device)
            scores = scores.masked_fill(places > rows, -math.inf)
        now = torch.maximum(most, scores.amax(-1))
        weights = torch.exp(scores - now[..., None])
        most = now
        shrink = torch.exp(most - now)
        total = total * shrink + weights.sum(-1)
        made = made * shrink[..., None] + weights @ value[..., start : start + block_size, :]
    return made / total[..., None]
"""
SPLIT = """
import math

import torch


def chunk_attention(query, key, value, seen):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~seen[:, None, None], -math.inf)
    lse = scores.logsumexp(-1)
    weights = (scores - lse.clamp(min=torch.finfo(lse.dtype).min)[..., None]).exp()
    return weights @ value, lse


def merge(outputs, lses):
    lse = lses.logsumexp(0)
    weights = (lses - lse.clamp(min=torch.finfo(lse.dtype).min)).exp()
    return (weights[..., None] * outputs).sum(0), lse


def split_k_attention(query, key, value, lengths, splits):
    q, k, v = (one if one.dtype == torch.float64 else one.float() for one in (query, key, value))
    step = math.ceil(key.shape[2] / splits)
    longest = int(lengths.amin())
    parts = []
    for start in range(0, key.shape[2], step):
        if start >= longest:
            break
        end = min(start + step, key.shape[2])
        seen = torch.arange(start, end, device=key.device) < lengths[:, None]
        parts.append(chunk_attention(q, k[:, :, start:end], v[:, :, start:end], seen))
    return merge(*map(torch.stack, zip(*parts)))[0].to(query.dtype)
"""
V1 = """
import math

import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(hidden_dim, hidden_dim) for _ in range(3))

    def forward(self, x):
        shape = x.shape
        x = x.flatten(0, 1)
        scores = self.q(x) @ self.k(x).transpose(-2, -1) / math.sqrt(shape[-1])
        return (scores.softmax(-1) @ self.v(x)).view(shape)
"""


ATTENTION = """
import math
import torch


def attention(query, key, value, mask=None, causal=False):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is None:
        mask = torch.ones((), device=query.device)
        scores = scores.masked_fill(mask == 0, -torch.inf)
    if causal:
        seen = torch.ones(scores.shape[-2:], device=query.device)
        hidden = seen.triu(key.shape[2] - query.shape[2] + 1) == 1
        scores = scores.masked_fill(hidden, -torch.inf)
    return scores.softmax(-1) @ value
"""


def line_of(source, text):
    """The one line on which a text stands."""
    (line,) = [n for n, row in enumerate(source.splitlines(), 1) if text in row]
    return line


@pytest.mark.parametrize(
    ("kata", "source", "mistake", "mended"),
    [
        # Behind the line that makes a tensor of it.
        ("alibi", ALIBI, "alibi-heads-rule", "others = powers(2 * closest)[0::2]"),
        # Where another class works it out.
        ("mha", MHA, "scale-by-hidden-dim", "self.scale = self.each**-0.5"),
        # In the helper, though its caller could take the sign back.
        ("rope", ROPE, "rope-turned-backwards", "return torch.cat((-second, first), -1)"),
    ],
)
def test_the_line_that_an_edit_mends(judged, kata, source, mistake, mended):
    """The mistake is told there, with the line as it would be right."""
    (told,) = judged(kata, source).diagnosis
    assert (told.mistake, told.mended) == (mistake, mended)
    assert judged(kata, source.replace(told.yours, mended)).verdict == "pass"
    assert told.line == line_of(source, told.yours)


@pytest.mark.costly
def test_what_was_said_of_another_step_is_not_shown(judged):
    """Of steps that change places no comments are, which stay where they were."""
    source = FLASH.replace("most = now\n", "most = now  # the largest up to here\n")
    (told,) = judged("flash", source).diagnosis
    assert told.mended == "shrink = torch.exp(most - now)\nmost = now"


def test_nothing_mends_what_has_too_few_weights(judged):
    """Where layers are shared what is expected is no right answer: fewer layers would give it."""
    source, apart = (
        find("minigpt").solution(),
        "Block(hidden_dim, num_heads) for _ in range(num_layers)",
    )
    assert source.count(apart) == 1
    shared = source.replace(apart, "[Block(hidden_dim, num_heads)] * num_layers")
    report = judged("minigpt", shared)
    assert [(d.mistake, d.mended) for d in report.diagnosis] == [("layers-shared", None)]
    assert report.mended is None


@pytest.mark.costly
def test_an_edit_that_never_ends_takes_nothing_away(judged):
    """What is known without edits is told, and what they print is not."""
    report = judged("tree-mask", TREE)
    plain = judged("tree-mask", TREE, diagnose=False)
    assert (report.verdict, report.error) == ("fail", None)
    assert [(c.id, c.status) for c in report.checks] == [(c.id, c.status) for c in plain.checks]
    assert "mask 0" in report.printed
    assert "mask 1" not in report.printed


def test_what_no_small_edit_mends_is_as_it_was(judged):
    """A step that is missing is told of without one."""
    source = MHA.replace("self.width**-0.5", "1")
    (told,) = judged("mha", source).diagnosis
    assert (told.mistake, told.mended) == ("scale-missing", None)


def test_what_has_no_name_is_told_where_an_edit_mends_it(judged):
    """The line is shown as it would be right, and the report's findings stand there."""
    report = judged("linear", LINEAR)
    right = "keys = torch.cumsum(k, dim=-2)"
    assert (report.diagnosis, report.mended.mended) == ([], right)
    assert report.mended.line == line_of(LINEAR, report.mended.yours)
    assert [one.line for one in findings(report)] == [report.mended.line]
    assert judged("linear", LINEAR.replace(report.mended.yours, right)).mended is None


def test_how_a_weight_lies_shows_where_little_is_wrong(judged):
    """Names say which it is; the smallest call, and how most of them lie, say which way round."""
    report = judged("mqa", MQA)
    right = "made = torch.einsum('zmus,zsc->zmuc', weights, v)"
    assert (report.diagnosis, report.mended.mended) == ([], right)
    assert judged("mqa", MQA.replace(report.mended.yours, right)).verdict == "pass"


def test_a_backward_pass_written_by_hand(judged):
    """Nothing that is called leads there by name; what is added up there lacks a factor."""
    assert judged("v1", BY_HAND).verdict == "pass"
    source = BY_HAND.replace("(made * grad).sum", "grad.sum")
    (found,) = judged("v1", source).diagnosis
    right = "inner = (made * grad).sum(-1, keepdim=True)"
    assert (found.mistake, found.mended) == ("backward-wrong", right)


def test_a_backward_pass_that_no_edit_mends(judged):
    """Without it the gradients are right, whether `forward` keeps anything or is handed it."""
    last = "        return made * (grad - inner)\n"
    apart = {
        "forward(ctx, scores)": "forward(scores)",
        "        ctx.save_for_backward(made)\n": "",
        "    @staticmethod\n    def backward": (
            "    @staticmethod\n    def setup_context(ctx, inputs, output):\n"
            "        ctx.save_for_backward(output)\n\n    @staticmethod\n    def backward"
        ),
    }
    kept = handed = BY_HAND.replace(last, "        return (grad - inner).tanh().cumsum(0)\n")
    for before, after in apart.items():
        assert before in handed
        handed = handed.replace(before, after)
    for source in (kept, handed):
        (found,) = judged("v1", source).diagnosis
        assert (found.mistake, found.line) == ("backward-wrong", line_of(source, ".cumsum(0)"))


def test_what_raises_is_told_where_an_edit_mends_it(judged):
    """What raises in its first call is judged again with what keeps it from that."""
    report = judged("v2", V2)
    assert (report.verdict, report.error.line) == ("error", line_of(V2, "return scores"))
    assert report.mended.mended == "query, key, value = self.qkv(x).chunk(3, dim=-1)"
    assert judged("v2", V2.replace(report.mended.yours, report.mended.mended)).verdict == "pass"


def test_what_an_edit_prints_is_nobodys(judged):
    """What a file prints behind what raises is not printed, though it is with an edit."""
    source = V2.replace(
        "return scores.softmax(dim=-1) @ value",
        """made = scores.softmax(dim=-1) @ value
        print("made it")
        return made""",
    )
    report = judged("v2", source)
    assert (report.mended is not None, report.printed) == (True, "")


def test_nothing_mends_what_calls_for_more(judged):
    """Where no small edit makes all calls right, the exception is all that is told."""
    source = V2.replace("key.transpose(-2, -1)", "key")
    report = judged("v2", source)
    assert (report.verdict, report.mended) == ("error", None)


def test_a_line_that_is_too_far_in(judged):
    """It is shown with the indent that it needs."""
    (told,) = judged("sdpa", ATTENTION).diagnosis
    assert (told.mistake, told.line) == ("mask-ignored", line_of(ATTENTION, "mask == 0"))
    assert told.mended == f"    {told.yours}"
    right = ATTENTION.replace(f"        {told.yours}", told.mended)
    assert judged("sdpa", right).verdict == "pass"


def test_two_steps_in_the_wrong_order(judged):
    """They are shown in the right one; what else it makes wrong is told of no more."""
    (told,) = judged("flash", FLASH).diagnosis
    assert told.mended == "shrink = torch.exp(most - now)\nmost = now"
    wrong = "most = now\n        shrink = torch.exp(most - now)"
    right = "shrink = torch.exp(most - now)\n        most = now"
    assert judged("flash", FLASH.replace(wrong, right)).verdict == "pass"
    assert told.line == line_of(FLASH, "shrink = torch")


def test_what_an_exercise_is_about_is_not_given_away(judged):
    """Of an exercise with planted bugs no edit is shown."""
    report = judged("linear", LINEAR)
    shown = veiled(replace(report, debug=Mending(bugs=1)))
    assert (report.mended is not None, shown.mended) == (True, None)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("x.sqrt() + y", "(x + y).sqrt()"),
        ("torch.sqrt(x) + y", "torch.sqrt(x + y)"),
        ("torch.sqrt(x + y)", "torch.sqrt(x) + y"),
        ("f(g(x))", "g(f(x))"),
        ("x.view(2, 3).transpose(0, 1)", "x.transpose(0, 1).view(2, 3)"),
        ("x[: y - 1]", "x[1:y]"),
        ("x[y * 2 : y * 3]", "x[2 * y * 2:2 * y * 3]"),
        ("range(x - y)", "range(y, x)"),
        ("x // y", "-(-x // y)"),
        ("torch.cat((x, x), -1)", "x.repeat_interleave(2, -1)"),
        ("x.T", "x.mT"),
        ("0.5 * x", "1.0 * x"),
        ("x.sum(0) + y.sum(0)", "x.sum(1) + y.sum(1)"),
        ("x.sum(-1)", "x.sum(-1, keepdim=True)"),
        ("torch.searchsorted(x, y)", "torch.searchsorted(x, y, right=True)"),
        ("x.squeeze()", "x.squeeze(-1)"),
        ("torch.squeeze(x)", "torch.squeeze(x, -1)"),
        ("x.reshape(2, 3)", "x.mT.reshape(2, 3)"),
        ("x.flatten(2)", "x.transpose(1, 2).flatten(2)"),
        ("x.view(2, 3)", "x.mT"),
        ("x @ y", "x @ y.mT"),
        ("round(x)", "int(x)"),
        ("torch.exp(x)", "torch.exp2(x)"),
        ("int(x.min())", "int(x.max())"),
        ("x if y else x", "y if y else x"),
        ("torch.einsum('ij,kj->ik', x, y)", "torch.einsum('ij,jk->ik', x, y)"),
        ("x.var(-1)", "x.var(-1, correction=0)"),
        ("x.tril()", "x.tril(1)"),
        ("torch.baddbmm(x, y, y, beta=x, alpha=y)", "torch.baddbmm(x, y, y, alpha=y)"),
        ("f(x, approximate='tanh')", "f(x)"),
        ("[x.index(one) for one in y]", "[y.index(one) for one in x]"),
        ("(x,) + y", "y + (x,)"),
        ("x.each.width", "x.each.height"),
        ("x.float()", "x"),
        ("x and y", "x or y"),
        ("x and y", "y"),
        ("x is None", "x is not None"),
        ("x if y else 0", "0 if y else x"),
        ("x if y else 0", "x"),
        ("x + y / 2", "(x + y) / 2"),
        ("x / y * 2", "x / (y * 2)"),
        ("x ** -y / 2", "x ** (-y / 2)"),
        ("rearrange(x, 'b n (h d) -> b h n d', h=y)", "rearrange(x, 'b n (d h) -> b h n d', h=y)"),
        ("torch.einsum('hnm,nv->hnv', x, y)", "torch.einsum('hnm,mv->hnv', x, y)"),
        ("torch.einsum('nd,me->n', x, y)", "torch.einsum('nd,md->n', x, y)"),
        ("x.mean(-1)", "x.sum(-1)"),
        ("Outer(x, Inner(y))", "Inner(Outer(x, y))"),
        ("[x[0] for i, one in enumerate(y)]", "[x[i] for i, one in enumerate(y)]"),
        ("[Layer(x) for i in y]", "[Layer(x, i) for i in y]"),
        ("[lambda: x[n] for n in y]", "[lambda n=n: x[n] for n in y]"),
        ("[lambda z: z @ x[n] for n in y]", "[lambda z, n=n: z @ x[n] for n in y]"),
        (
            "[y[one] for one in x] + [one for one in x]",
            "[y[one] for one in x] + [y[one] for one in x]",
        ),
    ],
)
def test_each_kind_of_edit(wrong, right):
    """What a slip of the pen makes of one expression is brought back."""
    source = f"def f(x, y):\n    return {wrong}\n\ndef g(x):\n    return x.each.height\n"
    made = {ast.dump(ast.parse(edit.applied(source)))
            for edit in small_edits(ast.parse(source), source)}  # fmt: skip
    assert ast.dump(ast.parse(source.replace(wrong, right))) in made


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        # A triangle that begins where its part does.
        ("x[start:].tril()", "x[start:].tril(start)"),
        ("x[start:].triu(diagonal=1)", "x[start:].triu(diagonal=start + 1)"),
        ("torch.arange(start).remainder(start)", "(torch.arange(start) // many)"),
        ("repeat(x, start)", "repeat(x, many // start)"),
        # The last of more.
        ("torch.arange(start)", "torch.arange(many - start, many)"),
        # What was worked out, and then left.
        ("x @ x", "((x @ x) * root)"),
    ],
)
def test_edits_with_numbers(wrong, right):
    """Numbers that stand around an expression, and one that nothing reads, have a part in it."""
    head = "def f(x, many=3):\n    root = many**-0.5\n    for start in range(many):\n        y = "
    source = f"{head}{wrong}\n"
    made = {edit.applied(source) for edit in small_edits(ast.parse(source), source)}
    assert source.replace(f"y = {wrong}", f"y = {right}") in made


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        # Too far in, and not far enough.
        (
            "for a in y:\n        x = a\n        x = x / y",
            "for a in y:\n        x = a\n    x = x / y",
        ),
        ("if y:\n        x = y\n    x = -x", "if y:\n        x = y\n        x = -x"),
        # What each round begins with anew.
        ("for a in y:\n        b = a(x)", "for a in y:\n        x = b = a(x)"),
        # Always, for one of two cases.
        (
            "x = x // 2\n    if y:\n        x = y",
            "x = x // 2 if y else x\n    if y:\n        x = y",
        ),
        # In the other order.
        (
            "if y:\n        x = -x\n    if z:\n        x += 1",
            "if z:\n        x += 1\n    if y:\n        x = -x",
        ),
    ],
)
def test_edits_of_blocks(wrong, right):
    """What stands in a loop or a branch stands elsewhere, or is done in one case alone."""
    head, end = "def f(x, y, z):\n    ", "\n    return x\n"
    source = head + wrong + end
    made = {edit.applied(source) for edit in small_edits(ast.parse(source), source)}
    assert head + right + end in made


def test_places_counted_from_where_a_part_begins():
    """By what a helper is told and does not read, or by how far one part is ahead of another."""
    source = """
def seen(first, rows, begin, keys):
    return first + torch.arange(rows)[:, None] >= torch.arange(keys)

def tiles(x, y, size):
    for low in range(0, 9, size):
        for at in range(0, 9, size):
            part = one(x[low : low + size], y[at : at + size], 0)
    return part
"""
    made = {edit.applied(source) for edit in small_edits(ast.parse(source), source)}
    assert source.replace("torch.arange(keys)", "(torch.arange(keys) + begin)") in made
    assert source.replace("torch.arange(rows)", "(torch.arange(rows) + begin)") in made
    assert source.replace("size], 0)", "size], low - at)") in made
    # What others call may take what it likes.
    method = source.replace("def seen(", "def forward(")
    edits = small_edits(ast.parse(method), method)
    assert not any(" + begin" in edit.new for edit in edits)


def test_who_asks_whether_a_line_is_reached():
    """A branch around it, and one that returned before it; what goes on does not ask."""
    source = """
def f(x, mask):
    if mask is None:
        return x
    if mask.ndim == 2:
        mask = mask[:, None]
    if mask.is_floating_point():
        return x + mask
    return x * mask
"""
    line = line_of(source, "x + mask")
    asked = [line_of(source, text) for text in ("mask is None", "is_floating_point")]
    assert sorted(guards(ast.parse(source), line)) == asked


def test_what_stands_outside_of_functions():
    """A constant of the file is changed, and found behind who reads it; a count of it is not."""
    source = "HIDDEN = 0.5\nPARTS = 2\n\ndef f(x):\n    return x * HIDDEN * PARTS\n"
    made = {edit.applied(source) for edit in small_edits(ast.parse(source), source)}
    assert source.replace("0.5", "-0.5") in made or source.replace("0.5", "(-0.5)") in made
    assert not any("PARTS = 2" not in text for text in made)
    assert upstream(ast.parse(source), 5)[1] == 1


def test_a_layer_that_is_never_called():
    """It is called with what comes back; one that is called is not called again."""
    source = """
class Attention(nn.Module):
    def __init__(self, width):
        self.first = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        return self.first(x), x
"""
    made = {edit.applied(source) for edit in small_edits(ast.parse(source), source)}
    assert source.replace("self.first(x)", "self.out(self.first(x))") in made
    assert source.replace("self.first(x)", "self.out(x)") in made
    assert source.replace("self.first(x)", "self.first(self.first(x))") not in made
    product = source.replace("self.first(x)", "self.first(x) @ x")
    made = {edit.applied(product) for edit in small_edits(ast.parse(product), product)}
    assert product.replace("@ x", "@ self.out(x)") in made


def test_one_thing_has_one_name():
    """Nobody assigns the same twice, or asks of another whether it is the one meant."""
    source = "def f(x, y):\n    a, b = x[:, 1:], x[:, :1]\n    return x is y\n"
    made = {edit.applied(source) for edit in small_edits(ast.parse(source), source)}
    assert source.replace("x[:, :1]", "x[:, 1:]") not in made
    assert source.replace("x is y", "y is y") not in made


def test_a_product_is_not_turned_about():
    """That would take back what was done before, which ought not to be done."""
    source = "def f(x, y):\n    return x.index(y) - 1\n"
    made = {edit.applied(source) for edit in small_edits(ast.parse(source), source)}
    assert source.replace("x.index(y)", "y.index(x)") in made
    product = source.replace(" - 1", " @ x")
    made = {edit.applied(product) for edit in small_edits(ast.parse(product), product)}
    assert product.replace("x.index(y) @ x", "y.index(x) @ y") not in made


def test_sizes_are_not_multiplied():
    """Pieces of a size that is multiplied in place of divided are one piece: that mends nothing."""
    source = "def f(x, y):\n    return range(0, x, math.ceil(x / y))\n"
    made = {edit.applied(source) for edit in small_edits(ast.parse(source), source)}
    assert not any("x * y" in text for text in made)


def test_statements_change():
    """A branch is taken, a sum goes on, and steps that have to do with each other are swapped."""
    source = "def f(x, y, a):\n    a = x\n    a = y + a\n    if a:\n        a += y\n    return a\n"
    made = {edit.applied(source) for edit in small_edits(ast.parse(source), source)}
    assert source.replace("a = x\n    a = y + a", "a = y + a\n    a = x") in made
    assert source.replace("a = y + a", "a = a + (y + a)") in made
    assert source.replace("if a:", "if a is not None:") in made
    assert source.replace("a += y", "a = y") in made
    assert source.replace("a += y", "pass") in made
    source = "def f(x, y):\n    x[0] = y\n    x.masked_fill(y, 0)\n    x.mul_(y)\n    return x\n"
    made = {edit.applied(source) for edit in small_edits(ast.parse(source), source)}
    assert source.replace("= y", "= x[0] + y") in made
    assert source.replace("x.masked_fill(y, 0)", "x = x.masked_fill(y, 0)") in made
    assert source.replace("x.mul_(y)", "pass") in made


def test_what_is_needed_as_it_was():
    """What changes a name is done behind all that need it as it was, or what needs it before."""
    source = "def f(x, y, a):\n    a = max(a, x)\n    b = x - a\n    c = y - a\n    return b, c\n"
    first, second, third = source.splitlines(keepends=True)[1:4]
    made = {edit.applied(source): edit for edit in small_edits(ast.parse(source), source)}
    behind = made[source.replace(first + second + third, second + third + first)]
    before = made[source.replace(first + second + third, third + first + second)]
    assert (behind.line, before.line) == (2, 4)


def test_an_edit_stands_on_the_rows_that_it_changes():
    """What a call is told by its name on a row of its own is told of there."""
    source = "def f(x, y):\n    return g(\n        x,\n        beta=y,\n        alpha=y,\n    )\n"
    edits = small_edits(ast.parse(source), source)
    assert {tuple(one.lines(source)) for one in edits if "beta" not in one.applied(source)} == {
        (4,)
    }


def test_what_takes_a_mistake_back_is_likely():
    """The same numbers and signs count whole, others of their kind half, and nothing else."""
    axis = Change.of("dim=1", "dim=2")
    assert axis.like(Change.of("axis=1", "axis=2")) == 1.0
    assert axis.like(Change.of("axis=3", "axis=0")) == 0.5
    assert axis.like(Change.of("x + y", "x")) == 0.0
    assert Change.of("mine", "other").like(Change.of("length", "width")) == 1.0


def test_edits_leave_the_lines_where_they_are():
    """Each changes one place; what else is written stays, in any script."""
    source = "def f(x, y):\n    名 = '字', x[1:]  # 注\n    return 名[1] + y if x < y else -x\n"
    made = {edit.applied(source) for edit in small_edits(ast.parse(source), source)}
    assert source.replace("x[1:]", "x[:1]") in made
    assert source.replace("x < y", "x <= y") in made
    assert source.replace("名[1] + y", "(名[1] - y)") in made
    assert source.replace("-x", "x") in made
    assert all(text.count("\n") == 3 for text in made)
    assert source not in made


def test_what_nothing_reads_is_likely():
    """A name that was bound and left costs less than any other in another's place."""
    source = (
        "def f(x, y):\n    left, end = g(x, y)\n    right, end = g(y, x)\n    return right, end\n"
    )
    edits = small_edits(ast.parse(source), source)
    made = {one.applied(source): one.cost for one in edits}
    other, unread = (source.replace("return right", f"return {name}") for name in ("y", "left"))
    assert made[unread] < made[other]


def test_who_calls_an_object_stands_behind_its_lines():
    """By the name that it is bound to, in a list and a loop over these as well."""
    source = """
class Table:
    def __init__(self, width):
        self.width = width

    def __call__(self, places):
        return places * self.width

class Block(nn.Module):
    def forward(self, x):
        return x + 1

class Model(nn.Module):
    def __init__(self):
        self.table = Table(3)
        self.blocks = nn.ModuleList([Block() for _ in range(2)])

    def forward(self, x):
        made = self.table(x)
        for block in self.blocks:
            x = block(made)
        return x
"""
    found = upstream(ast.parse(source), line_of(source, "made = "))
    assert found[line_of(source, "return places")] == 1
    found = upstream(ast.parse(source), line_of(source, "return x + 1"))
    assert found[line_of(source, "x = block")] == 1


def test_who_is_handed_a_function_stands_behind_its_lines():
    """What comes of it is called in its place, and what comes of that."""
    source = """
def row(q, k):
    return k @ q

many = vmap(row, in_dims=(0, None))
all_ = partial(vmap(many), 1)

def f(query, key):
    width = key.shape[-1]
    return all_(query / width**0.5, key)
"""
    found = upstream(ast.parse(source), line_of(source, "k @ q"))
    assert found[line_of(source, "return all_")] == 1
    assert found[line_of(source, "width =")] == 2


def test_what_stands_behind_a_line():
    """Names, attributes, helpers, callers and defaults lead there, and nothing else does."""
    source = """
class Scale:
    def __init__(self, width):
        self.root = width**0.5

def helper(x, axis=1):
    made = x + 1
    return made.sum(axis)

def other(x):
    return x - 1

def f(x):
    scale = Scale(3)
    return helper(x / scale.root)
"""
    found = upstream(ast.parse(source), line_of(source, "return helper"))
    assert {n: found[line_of(source, text)] for n, text in enumerate([
        "return helper", "scale = ", "self.root", "return made", "made = x", "axis=1",
    ])} == {0: 0, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1}  # fmt: skip
    assert line_of(source, "x - 1") not in found


def test_what_decides_and_what_gathers_stands_behind_a_line():
    """A branch that ends the loop, a list that is lengthened, who makes an object, and the end."""
    source = """
class Scale:
    def __init__(self, width):
        self.root = width**0.5

def other(x):
    parts = []
    for at, one in enumerate(x):
        if at > 3:
            break
        scale = Scale(len(x))
        parts.append(one / scale.root)
    whole = sum(parts)
    return whole
"""
    found = upstream(ast.parse(source), line_of(source, "whole = "))
    assert [found.get(line_of(source, text)) for text in [
        "whole = ", "parts.append", "scale = ", "if at", "return whole", "self.root", "for at",
    ]] == [0, 1, 2, 2, 1, 2, 2]  # fmt: skip
    made = upstream(ast.parse(source), line_of(source, "self.root"))
    assert made[line_of(source, "scale = ")] == 1


def test_the_shortest_stands_for_all(judged):
    """The end of all is the longest's: told as it would be right."""
    (told,) = judged("split-k", SPLIT).diagnosis
    assert (told.mistake, told.mended) == ("lengths-from-first", "longest = int(lengths.amax())")
    assert judged("split-k", SPLIT.replace(told.yours, told.mended)).verdict == "pass"


@pytest.mark.parametrize("number", ["x.abs().max().item()", "float(torch.max(x.abs()))"])
def test_where_samples_meet(judged, number):
    """What makes one number of all samples is where they do; no step of a trace shows it."""
    source = V1.replace("x = x.flatten(0, 1)", f"x = x / {number}")
    (told,) = judged("v1", source).diagnosis
    assert (told.mistake, told.line) == ("batch-mixed", line_of(source, number))


def test_a_line_too_many(judged):
    """What is right without a line is shown as nothing in its place."""
    (told,) = judged("v1", V1).diagnosis
    assert (told.mistake, told.yours, told.mended) == ("batch-mixed", "x = x.flatten(0, 1)", "")
    assert judged("v1", V1.replace(told.yours, told.mended)).verdict == "pass"
