"""Absorbed latent attention, held against keys and values made from the latents."""

from __future__ import annotations

import math

import pytest
import torch
from attn_kata.reference.mla_absorbed import absorbed_attention, cache_entries, rope_half_split

HEADS, HEAD_DIM, LATENT_DIM, ROPE_DIM, LENGTHS = 3, 4, 5, 6, [7, 2, 10]


def drawn(*shape):
    """Normal values, others at each call."""
    return torch.randn(shape, dtype=torch.float64)


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def made(content, rotary, latents, keys, kv_up):
    """One sequence by the definition: a key and a value of each head for every position."""
    queries, length = content.shape[1], len(latents)
    positions = torch.arange(length)
    turned = rope_half_split(keys, positions)
    heads = []
    for head in range(HEADS):
        rows = kv_up[head * 2 * HEAD_DIM : (head + 1) * 2 * HEAD_DIM]
        key, value = latents @ rows[:HEAD_DIM].T, latents @ rows[HEAD_DIM:].T
        query = rope_half_split(rotary[head], positions[length - queries :])
        scores = (content[head] @ key.T + query @ turned.T) / math.sqrt(HEAD_DIM + ROPE_DIM)
        later = torch.ones(queries, length, dtype=torch.bool).triu(length - queries + 1)
        heads.append(scores.masked_fill(later, -torch.inf).softmax(-1) @ value)
    return torch.stack(heads)


@pytest.mark.parametrize("queries", [1, 2])
def test_made_from_latents(queries):
    """Each sequence gives what it gives alone, with keys and values; the rest of it is unread."""
    batch, room = len(LENGTHS), max(LENGTHS) + 1
    content, rotary = drawn(batch, HEADS, queries, HEAD_DIM), drawn(batch, HEADS, queries, ROPE_DIM)
    latents, keys = drawn(batch, room, LATENT_DIM), drawn(batch, room, ROPE_DIM)
    kv_up = drawn(HEADS * 2 * HEAD_DIM, LATENT_DIM)
    cache = cache_entries(latents, keys, torch.arange(room).expand(batch, room))
    output = absorbed_attention(content, rotary, cache, torch.tensor(LENGTHS), kv_up)
    for sample, length in enumerate(LENGTHS):
        held = latents[sample, :length], keys[sample, :length]
        wanted = made(content[sample], rotary[sample], *held, kv_up)
        assert torch.allclose(output[sample], wanted)


def test_entries():
    """The latent stays as it is, in front; the key is turned as a rotation keeps lengths."""
    latent, key = drawn(2, 3, LATENT_DIM), drawn(2, 3, ROPE_DIM)
    positions = torch.tensor([[0, 1, 2], [5, 6, 7]])
    entries = cache_entries(latent, key, positions)
    assert torch.equal(entries[..., :LATENT_DIM], latent)
    assert torch.equal(entries[0, 0, LATENT_DIM:], key[0, 0])
    assert torch.allclose(entries[..., LATENT_DIM:].norm(dim=-1), key.norm(dim=-1))
