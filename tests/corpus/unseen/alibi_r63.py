import functools
import math

import torch
from torch.func import vmap


def _geometric(n):
    return [2.0 ** (-8.0 * (i + 1) / n) for i in range(n)]


@functools.lru_cache(maxsize=None)
def _slope_list(heads):
    if heads & (heads - 1) == 0:
        return tuple(_geometric(heads))
    floor = 1 << (heads.bit_length() - 1)
    return tuple(_geometric(floor) + _geometric(2 * floor)[0::2][: heads - floor])


def slopes(heads):
    return torch.tensor(_slope_list(heads), dtype=torch.float64)


def bias(heads, query_length, key_length):
    at = torch.arange(key_length)
    relative = at[None, :] - at[key_length - query_length :, None]  # <= 0 in the past
    entry = slopes(heads)[:, None, None] * relative
    return torch.where(relative <= 0, entry, -math.inf)


def _single(q, k, v, b):
    """One head of one sample."""
    logits = q @ k.T / math.sqrt(q.shape[-1]) + b
    return torch.softmax(logits, dim=-1) @ v


def attention(query, key, value):
    _, heads, q_len, _ = query.shape
    table = bias(heads, q_len, key.shape[-2]).to(device=query.device, dtype=query.dtype)
    over_heads = vmap(_single)
    over_batch = vmap(over_heads, in_dims=(0, 0, 0, None))
    return over_batch(query, key, value, table)
