"""What people write to another contract is refused in one sentence that says what differs."""

from __future__ import annotations

import re

import pytest

HANDED_PASS = """\
def attention_backward(Q, K, V, O, dO, L):
    P = (Q @ K.mT / Q.shape[-1] ** 0.5 - L[..., None]).exp()
    return P, P, P
"""
HANDED_WEIGHTS = """\
def attention_backward(grad_output, query, key, value, attn_weights):
    return attn_weights, attn_weights, attn_weights.mT @ grad_output
"""
HANDED_TABLES = """\
import torch
def rope_half_split(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat([-b, a], -1) * sin
def rope_interleaved(x, freqs_cis):
    return torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2))) * freqs_cis)
"""
HANDED_POSITION = """\
from torch import nn
class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.q = nn.Linear(hidden_dim, hidden_dim)
    def forward(self, x, start_pos, freqs_cis, mask=None):
        return self.q(x)
"""
THREE = """\
def attention(q, k, v, mask=None, causal=False):
    batch, length, width = q.shape
    return (q @ k.transpose(1, 2) / width ** 0.5).softmax(-1) @ v
"""
TWO = """\
def window_attention(q, k, v, window):
    import torch
    n, d = q.shape
    far = (torch.arange(n)[:, None] - torch.arange(n)).clamp(min=-1)
    scores = (q @ k.T / d ** 0.5).masked_fill((far < 0) | (far >= window), -torch.inf)
    return scores.softmax(-1) @ v
"""
REFUSED = {
    "O and L": ("backward", HANDED_PASS, "asks for `O`, `L` too: nothing of the forward pass"),
    "P": ("backward", HANDED_WEIGHTS, "asks for `attn_weights` too: nothing of the forward pass"),
    "tables": ("rope", HANDED_TABLES, "asks for `cos`, `sin` too: no tables are handed over"),
    "position": ("gqa-rope", HANDED_POSITION, "`start_pos`, `freqs_cis` too: neither tables nor"),
    "three axes": ("sdpa", THREE, "is written for tensors of three axes"),
    "two axes": ("window", TWO, "is written for one head of one sample"),
}


@pytest.mark.parametrize(("kata", "source", "words"), REFUSED.values(), ids=REFUSED)
def test_refused_in_a_sentence(judged, kata, source, words):
    """The sentence says what the code asks for and the kata does not give."""
    report = judged(kata, source)
    assert report.verdict == "error"
    assert re.search(re.escape(words), report.error.message), report.error.message


@pytest.mark.costly
def test_compressed_queries(judged):
    """Queries that are compressed first, as in DeepSeek-V2, are called that."""
    source = """\
from torch import nn
class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.q_a_proj = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.q_b_proj = nn.Linear(latent_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.kv_a = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.kv_b = nn.Linear(latent_dim, 2 * num_heads * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * (head_dim + rope_dim), hidden_dim, bias=False)
    def forward(self, x, cache=None):
        return self.o_proj(self.q_b_proj(self.q_a_proj(x))), x
"""
    report = judged("mla", source)
    values = next(check for check in report.checks if check.id == "values")
    assert "compressed (`q_a_proj`, `q_b_proj`)" in values.detail
