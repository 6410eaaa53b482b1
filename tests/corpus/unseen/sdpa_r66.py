from functools import partial

import torch
from torch.func import vmap


def make_causal_bias(q_len, kv_len, like):
    """[q, k], zero where visible; queries are aligned with the end of the keys."""
    hidden = torch.ones((q_len, kv_len), dtype=torch.bool, device=like.device)
    hidden = torch.triu(hidden, diagonal=1 + kv_len - q_len)
    return torch.zeros((q_len, kv_len), dtype=like.dtype, device=like.device).masked_fill(hidden, -torch.inf)


def mask_to_bias(mask, shape, like):
    hidden = torch.broadcast_to(mask == 0, shape)
    return torch.zeros(shape, dtype=like.dtype, device=like.device).masked_fill(hidden, -torch.inf)


def _attend_one_head(query, key, value, bias, *, scale):
    logits = torch.matmul(query * scale, key.T) + bias
    return torch.matmul(torch.softmax(logits, dim=-1), value)


def attention(query, key, value, mask=None, causal=False):
    *batch, q_len, depth = query.shape
    kv_len = key.shape[-2]
    bias = torch.zeros((), dtype=query.dtype, device=query.device)
    if causal:
        bias = bias + make_causal_bias(q_len, kv_len, query)
    if mask is not None:
        bias = bias + mask_to_bias(mask, (*batch, q_len, kv_len), query)
    bias = bias.expand(*batch, q_len, kv_len)
    one = partial(_attend_one_head, scale=depth**-0.5)
    return vmap(vmap(one))(query, key, value, bias)
