"""A sentence about a device, a cache, a layer's name or a mode is said where it is true alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attn_kata.checker.report.report import Report
from attn_kata.kata.catalogue import find
from attn_kata.sentences.wording import worded

Judge = Callable[..., Report]

_PLAIN = """
import torch
from torch import nn

class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.d = hidden_dim
{layers}
    def forward(self, x):
        q, k, v = {calls}
        return (q @ k.mT / self.d ** 0.5 + {more}).softmax(-1) @ v
"""
_LISTED = """\
        self.first = [nn.Linear(hidden_dim, hidden_dim)]
        self.rest = {n: nn.Linear(hidden_dim, hidden_dim) for n in 'kv'}
"""
_BARE = "        self.q, self.k, self.v = (torch.randn(hidden_dim, hidden_dim) for _ in range(3))\n"
_OWN = "        self.q, self.k, self.v = (nn.Linear(hidden_dim, hidden_dim) for _ in range(3))\n"
_OWN_CALLS = "self.q(x), self.k(x), self.v(x)"

_CACHED = """
import torch
from torch import nn

class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.held = None

    def forward(self, x, cache={default}):
        b, t, w = x.shape
        q, k, v = (p.view(b, t, self.h, -1).transpose(1, 2) for p in self.qkv(x).chunk(3, -1))
{joined}
        n = k.shape[2]
        seen = torch.ones(t, n, dtype=torch.bool{device}).tril(n - t)
        s = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~seen, -torch.inf)
        return self.o((s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, w)), {kept}
"""
_APPENDED = """\
        cache.append((k, v))
        k, v = (torch.cat(many, 2) for many in zip(*cache))
"""
_ON_SELF = """\
        if cache:
            k = torch.cat([self.held[0][:, :, :cache], k], 2)
            v = torch.cat([self.held[1][:, :, :cache], v], 2)
        self.held = k, v
"""
# The mask is as wide as the position says, and raises where the object holds fewer keys.
_ROWS_ON_SELF = (
    _ON_SELF
    + """\
        n = (cache or 0) + t
        if k.shape[2] != n:
            raise ValueError(n)
"""
)
_IN_DICT = """\
        cache = {} if cache is None else cache
        if cache:
            k, v = torch.cat([cache["k"], k], 2), torch.cat([cache["v"], v], 2)
        cache["k"], cache["v"] = k, v
"""

_FUSED = """
import torch
from torch import nn

class {name}(nn.Module):
    def __init__(self, hidden_dim{arguments}):
        super().__init__()
        self.d = hidden_dim
{layers}
    def forward(self, x):
        q, k, v = {calls}
        return ({scores} / self.d ** 0.5).softmax({axis}) @ v
"""
_ONE = "        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)\n"


def ids(report: Report) -> set[str]:
    """The mistakes that a report names."""
    return {one.mistake for one in report.diagnosis}


@pytest.mark.parametrize(
    ("layers", "calls"),
    [
        (_LISTED, "self.first[0](x), self.rest['k'](x), self.rest['v'](x)"),
        (_BARE, "x @ self.q, x @ self.k, x @ self.v"),
    ],
)
def test_a_weight_that_no_module_holds_is_no_hard_coded_device(
    judged: Judge, layers: str, calls: str
) -> None:
    """It is left behind because it is not registered, wherever it is made and first used."""
    report = judged("v1", _PLAIN.format(layers=layers, calls=calls, more="0"))
    assert report.verdict == "fail"
    assert "parameters-not-registered" in ids(report)
    assert "device-hardcoded" not in ids(report)


def test_a_tensor_made_without_a_device_is_told_of(judged: Judge) -> None:
    """Beside registered layers, what forward makes on the CPU is a device fault."""
    report = judged(
        "v1", _PLAIN.format(layers=_OWN, calls=_OWN_CALLS, more="torch.zeros(1, dtype=x.dtype)")
    )
    assert ids(report) == {"device-hardcoded"}


@pytest.mark.costly
def test_what_a_default_list_keeps_is_no_device_fault(judged: Judge) -> None:
    """Earlier calls left it there, on their device."""
    file = _CACHED.format(default="[]", joined=_APPENDED, device=", device=x.device", kept="cache")
    report = judged("kvcache", file)
    assert report.verdict == "fail"
    assert "device-hardcoded" not in ids(report)


@pytest.mark.costly
@pytest.mark.parametrize("joined", [_ON_SELF, _ROWS_ON_SELF])
def test_a_cache_that_is_a_number_was_not_changed(judged: Judge, joined: str) -> None:
    """The keys are on the object; nobody can write into a position."""
    kept = "(cache or 0) + t"
    file = _CACHED.format(default="None", joined=joined, device=", device=x.device", kept=kept)
    found = ids(judged("kvcache", file))
    assert "cache-changed-in-place" not in found
    assert "cache-on-self" in found


def test_a_dict_that_was_written_to_was_changed(judged: Judge) -> None:
    """What was handed in holds other positions afterwards."""
    file = _CACHED.format(default="None", joined=_IN_DICT, device=", device=x.device", kept="cache")
    assert "cache-changed-in-place" in ids(judged("kvcache", file))


@pytest.mark.costly
def test_one_fused_layer_has_no_layer_called_query(judged: Judge) -> None:
    """Which third is whose is no name's: only the axis is wrong, and that axes of one go."""
    file = _FUSED.format(
        name="SelfAttentionV2", arguments="", layers=_ONE,
        calls="(part.squeeze() for part in self.qkv(x).chunk(3, -1))", scores="q @ k.mT", axis=-2,
    )  # fmt: skip
    found = ids(judged("v2", file))
    assert "query-key-swapped" not in found
    assert "softmax-wrong-axis" in found


def test_layers_that_change_places_are_told_of(judged: Judge) -> None:
    """The layer called key makes the queries."""
    file = _FUSED.format(
        name="SelfAttentionV1", arguments="", layers=_OWN, calls=_OWN_CALLS, scores="k @ q.mT",
        axis=-1,
    )  # fmt: skip
    assert "query-key-swapped" in ids(judged("v1", file))


@pytest.mark.parametrize(("when", "told"), [
    ("attention_mask[0].all()", "in some calls, "), ("True", ""),
])  # fmt: skip
def test_what_is_not_always_so_is_not_said_of_every_call(
    judged: Judge, when: str, told: str
) -> None:
    """A mask that is left out where the first sample has no padding is not ignored elsewhere."""
    source = find("v3").solution()
    line = "        if attention_mask is not None:\n"
    assert source.count(line) == 1
    passed = (
        f"        if attention_mask is not None and {when}:\n            attention_mask = None\n"
    )
    report = worded(judged("v3", source.replace(line, passed + line)), "en")
    first = report.diagnosis[0]
    assert first.mistake == "mask-ignored"
    assert first.message == f"{told}the mask changes nothing"


_BY_COUNT = _PLAIN.format(layers=_OWN, calls="self.q(x), self.k(x), self.v(x) * len(x)", more="0")
_BY_LEAST = _PLAIN.format(
    layers=_OWN, calls=_OWN_CALLS, more="(x < x.min().item() + 0.1).to(x.dtype).mean(-1)[:, None]"
)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (_BY_COUNT, "depends on how many samples there are in its batch"),
        (_BY_LEAST, "depends on the other samples of its batch"),
    ],
)
def test_what_of_a_batch_a_sample_depends_on(judged: Judge, source: str, words: str) -> None:
    """On how many there are, or on what they hold: the least of all may be the first one's own."""
    (told,) = judged("v1", source).diagnosis
    assert (told.mistake, str(told.message).endswith(words)) == ("batch-mixed", True)
