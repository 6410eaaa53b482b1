# wrong: alibi alibi-low-precision line 33
# fair: alibi-low-precision 20, 33, 34
from __future__ import annotations

import torch
from torch import Tensor

F32 = torch.float32
CPU = torch.device("cpu")


def slopes(heads: int) -> Tensor:
    n = 1 << (heads.bit_length() - 1)
    main = torch.arange(1, n + 1) * (-8 / n)
    rest = torch.arange(1, 2 * n, 2) * (-4 / n)
    return torch.cat([main, rest[: heads - n]]).to(F32).exp2()


def _build(heads: int, q_len: int, k_len: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    pos = torch.arange(k_len, device=device).to(dtype)
    distance = pos[k_len - q_len :, None] - pos
    slope = slopes(heads).to(device=device, dtype=dtype)
    return (-slope[:, None, None] * distance).masked_fill(distance < 0, -torch.inf)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    return _build(heads, query_length, key_length, F32, CPU)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    heads, q_len, head_dim = query.shape[1:]
    scores = query @ key.mT / head_dim**0.5
    scores = scores + _build(heads, q_len, key.shape[2], query.dtype, query.device)
    return scores.softmax(-1) @ value
