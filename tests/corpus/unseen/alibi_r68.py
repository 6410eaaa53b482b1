"""ALiBi, written the way I would in Flax: one head at a time, then vmap."""
import functools

import torch
from torch import vmap


@functools.lru_cache(maxsize=None)
def _slopes(n):
    lg = n.bit_length() - 1
    if 2**lg == n:
        return tuple(2.0 ** (-8.0 * (i + 1) / n) for i in range(n))
    return _slopes(2**lg) + _slopes(2 ** (lg + 1))[::2][: n - 2**lg]


def slopes(heads):
    return torch.as_tensor(_slopes(heads), dtype=torch.float32)


def _head_bias(slope, q_pos, k_pos):
    rel = k_pos[None, :] - q_pos[:, None]  # <= 0 for what is visible
    return torch.where(rel <= 0, slope * rel, -torch.inf)


def bias(heads, query_length, key_length):
    k_pos = torch.arange(key_length)
    q_pos = k_pos[key_length - query_length :]
    return vmap(_head_bias, in_dims=(0, None, None))(slopes(heads), q_pos, k_pos)


def _single(q, k, v, b):
    """[Tq, D], [Tk, D], [Tk, Dv], [Tq, Tk] -> [Tq, Dv]"""
    logits = torch.einsum("qd,kd->qk", q, k) / q.shape[-1] ** 0.5
    logits = logits.to(torch.promote_types(logits.dtype, b.dtype)) + b
    probs = torch.softmax(logits, dim=-1).to(v.dtype)
    return torch.einsum("qk,kv->qv", probs, v)


def attention(query, key, value):
    b = bias(query.shape[1], query.shape[2], key.shape[2])
    b = b.to(query.device, torch.promote_types(query.dtype, torch.float32))
    over_heads = vmap(_single, in_dims=(0, 0, 0, 0))
    over_batch = vmap(over_heads, in_dims=(0, 0, 0, None))
    return over_batch(query, key, value, b)
