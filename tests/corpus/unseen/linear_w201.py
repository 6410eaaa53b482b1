# attn-kata: linear
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

# 每个 chunk 里用 cumsum,chunk 之间传递 state,内存只和 CHUNK 有关
CHUNK = 64


def _feature(x: Tensor) -> Tensor:
    if x.dtype in (torch.float16, torch.bfloat16):
        x = x.to(torch.float32)
    return F.elu(x) + 1


def _augment(value: Tensor, like: Tensor) -> Tensor:
    """append a column of ones: its running sum is the normaliser"""
    return F.pad(value.to(like.dtype), (0, 1), value=1.0)


def _finish(packed: Tensor, dtype: torch.dtype) -> Tensor:
    numer, denom = packed.split((packed.size(-1) - 1, 1), dim=-1)
    return (numer / denom).to(dtype)


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k = _feature(query), _feature(key)
    summary = torch.matmul(k.transpose(-1, -2), _augment(value, k))
    return _finish(torch.matmul(q, summary), query.dtype)


class ChunkScanner:
    """Running state over chunks of positions."""

    def __init__(self, shape: tuple[int, ...], like: Tensor) -> None:
        self.carry = torch.zeros(shape, dtype=like.dtype, device=like.device)

    def scan(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """q, k: (b, h, c, dk), v: (b, h, c, dv)  ->  (b, h, c, dv)"""
        local = (k.unsqueeze(-1) * v.unsqueeze(-2)).cumsum(dim=2)
        states = self.carry.unsqueeze(2) + local
        self.carry = local[:, :, -1]
        return torch.einsum("bhcd,bhcdv->bhcv", q, states)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k = _feature(query), _feature(key)
    v = _augment(value, k)
    bsz, n_head, _, dk = q.shape
    scanner = ChunkScanner((bsz, n_head, dk, v.size(-1)), q)
    parts = [
        scanner.scan(*piece)
        for piece in zip(q.split(CHUNK, 2), k.split(CHUNK, 2), v.split(CHUNK, 2))
    ]
    return _finish(torch.cat(parts, dim=2), query.dtype)
