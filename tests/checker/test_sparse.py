"""Tensors whose entries do not lie in memory one by one: sparse and nested ones on the way."""

import pytest

EMBEDDED = """
import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.tables = nn.ModuleDict({
            name: nn.Embedding(hidden_dim, hidden_dim, sparse=True) for name in "qkv"
        })

    def forward(self, x):
        every = torch.arange(x.shape[-1], device=x.device)
        q, k, v = (x @ self.tables[name](every) for name in "qkv")
        return (q @ k.transpose(1, 2) / x.shape[-1] ** 0.5).softmax(-1) @ v
"""
TREE = """
import torch


def tree_mask(back):
    ways = []
    for token, step in enumerate(back.tolist()):
        ways.append([token, *(ways[token - step] if token - step >= 0 else [])])
    pairs = [[token, one] for token, way in enumerate(ways) for one in way]
    places = torch.tensor(pairs, device=back.device).reshape(-1, 2).T
    ones = torch.ones(len(pairs), dtype=torch.int8, device=back.device)
    return torch.sparse_coo_tensor(places, ones, (len(ways), len(ways))).to_dense().bool()


def tree_attention(query, key, value, back):
    seen = tree_mask(back)
    prefix = seen.new_ones(len(back), key.shape[2] - len(back))
    scores = query @ key.mT / query.shape[-1] ** 0.5
    hidden = ~torch.cat((prefix, seen), 1)
    return scores.masked_fill(hidden, float("-inf")).softmax(-1) @ value
"""
NESTED = """
import torch


def cumulative_lengths(lengths):
    return torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])


def document_mask(lengths, total):
    number = torch.repeat_interleave(torch.arange(len(lengths), device=lengths.device), lengths)
    number = torch.cat([number, number.new_full((total - len(number),), -1)])
    return (number[:, None] == number) & (number >= 0)[:, None]


def varlen_attention(query, key, value, lengths, causal=False):
    used = int(lengths.sum())
    ragged = [
        torch.nested.as_nested_tensor([*one[:used].split(lengths.tolist())], layout=torch.jagged)
        for one in (query, key, value)
    ]
    out = []
    for q, k, v in zip(*(one.unbind() for one in ragged)):
        q, k, v = (one.transpose(0, 1) for one in (q, k, v))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if causal:
            later = torch.ones_like(scores, dtype=torch.bool).triu(1)
            scores = scores.masked_fill(later, float("-inf"))
        out.append((scores.softmax(-1) @ v).transpose(0, 1))
    return torch.cat([*out, torch.zeros_like(query[used:])])
"""


@pytest.mark.parametrize(
    ("kata", "source"), [("v1", EMBEDDED), ("tree-mask", TREE), ("varlen", NESTED)]
)
def test_right_code_uses_them_on_its_way(judged, kata, source):
    """Their gradients, steps and devices are followed as any others, on a pretended GPU too."""
    report = judged(kata, source)
    assert (report.verdict, report.remarks) == ("pass", []), report.error


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (".to_dense().bool()", "", "returned a sparse tensor"),
        ("places = torch.tensor(pairs, device=back.device)", "places = torch.tensor(pairs)",
         "on a simulated GPU"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_them_is_told(judged, old, new, told):
    """One that comes back is none that callers can use; one on the CPU is the submission's doing.

    Its indices and its values have to be on one device.
    """
    assert old in TREE
    report = judged("tree-mask", TREE.replace(old, new))
    assert report.verdict != "pass"
    words = [check.detail for check in report.checks] + [report.error and report.error.message]
    assert any(told in (word or "") for word in words), words
