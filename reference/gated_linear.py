"""Linear attention whose state fades by a gate, a step at a time and in chunks.

Yang et al. 2023, Gated Linear Attention, with one gate a head and step as in Mamba-2 (Dao and Gu
2024, section 6); the chunks are those of RetNet (Sun et al. 2023, equation 7).
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    """Let the state fade, write one position into it, and read it: a step of decoding.

    query and key are (batch, heads, head_dim), value (batch, heads, value_dim), gate (batch,
    heads) and state (batch, heads, head_dim, value_dim), any float dtype. Returns what is read,
    (batch, heads, value_dim), and the new state. A gate g keeps sigmoid(g)^(1/16).
    """
    kept = (functional.logsigmoid(gate) / 16).exp()  # (batch, heads)
    faded = kept[..., None, None] * state  # (batch, heads, head_dim, value_dim)
    written = key.unsqueeze(-1) * value.unsqueeze(-2)  # (batch, heads, head_dim, value_dim)
    new_state = faded + written  # (batch, heads, head_dim, value_dim)
    row = (query.unsqueeze(-1) * new_state).sum(dim=-2)  # (batch, heads, value_dim)
    return row, new_state


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    """Give what as many steps give, chunk_size positions at a time.

    query and key are (batch, heads, length, head_dim), value (batch, heads, length, value_dim),
    gate (batch, heads, length); state, which the first chunk begins with, is as above. Returns
    the output, (batch, heads, length, value_dim), and the state after the last position.
    """
    length = query.shape[-2]
    # Sums over a chunk, of which differences are taken: never in less than float32.
    wide = torch.promote_types(gate.dtype, torch.float32)
    log_kept = functional.logsigmoid(gate.to(wide)) / 16  # (batch, heads, length)
    carried = state  # (batch, heads, head_dim, value_dim)
    chunks: list[Tensor] = []
    for start in range(0, length, chunk_size):
        # A chunk, of which the last may be shorter.
        queries = query[..., start : start + chunk_size, :]
        keys = key[..., start : start + chunk_size, :]
        values = value[..., start : start + chunk_size, :]
        logs = log_kept[..., start : start + chunk_size]
        # The log of what is left, at each position, of the state before the chunk.
        since_start = logs.cumsum(dim=-1)
        since_key = since_start.unsqueeze(-1) - since_start.unsqueeze(-2)
        ahead = torch.ones_like(since_key).triu(1) == 1
        # Before exp: ahead of the query the difference is positive, and may be large.
        masked_since_key = since_key.masked_fill(ahead, float("-inf"))
        decays = masked_since_key.exp().to(query.dtype)
        products = queries @ keys.mT
        inside = (products * decays) @ values
        left = since_start.exp().to(query.dtype)
        before = left.unsqueeze(-1) * (queries @ carried)
        rows = inside + before
        chunks.append(rows)
        # What is left at the chunk's end, of each key in it and of what came before it.
        to_end = (since_start[..., -1:] - since_start).exp().to(query.dtype)
        added = (to_end.unsqueeze(-1) * keys).mT @ values  # (batch, heads, head_dim, value_dim)
        carried = left[..., -1:, None] * carried + added  # (batch, heads, head_dim, value_dim)
    output = torch.cat(chunks, dim=-2)  # (batch, heads, length, value_dim)
    return output, carried
