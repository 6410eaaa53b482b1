import math
import torch
from torch import Tensor


def _leaf(q: Tensor, k: Tensor, v: Tensor, first: int, causal: bool):
    """one tile: its own softmax, and the log of its denominator"""
    s = torch.einsum("...qd,...kd->...qk", q, k)
    if causal:
        rows = torch.arange(q.shape[-2], device=q.device)
        cols = torch.arange(first, first + k.shape[-2], device=q.device)
        s = s.masked_fill(cols[None] > rows[:, None], -math.inf)
    lse = torch.logsumexp(s, dim=-1, keepdim=True)
    safe = lse.masked_fill(lse == -math.inf, 0.0)       # a tile that lies ahead of the query
    return torch.exp(s - safe) @ v, lse


def _join(left, right):
    (a, la), (b, lb) = left, right
    total = torch.logaddexp(la, lb)
    base = total.masked_fill(total == -math.inf, 0.0)
    return a * torch.exp(la - base) + b * torch.exp(lb - base), total


def flash_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False) -> Tensor:
    """The tiles are the leaves of a binary tree; every node is a pair (output, log-sum-exp)."""
    dtype = torch.float64 if query.dtype == torch.float64 else torch.float32
    q = query.to(dtype) * (query.shape[-1] ** -0.5)

    def node(low: int, high: int):
        if high - low == 1:
            a = low * block_size
            k = key[..., a : a + block_size, :].to(dtype)
            v = value[..., a : a + block_size, :].to(dtype)
            return _leaf(q, k, v, a, causal)
        mid = (low + high) // 2
        return _join(node(low, mid), node(mid, high))

    tiles = -(-key.shape[-2] // block_size)
    out, _ = node(0, tiles)
    return out.to(query.dtype)
