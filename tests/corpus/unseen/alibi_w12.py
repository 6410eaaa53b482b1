import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    n = 1 << (heads.bit_length() - 1)          # largest power of two
    own = torch.arange(1, n + 1, dtype=torch.float32)
    more = torch.arange(1, 2 * n, 2, dtype=torch.float32)[: heads - n]
    return torch.cat([torch.exp2(-8 * own / n), torch.exp2(-4 * more / n)])


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    # softmax does not see a constant per row, so one row of penalties per head is enough
    k = torch.arange(key_length)
    last = key_length - 1
    row = slopes(heads)[:, None] * (k - last).float()
    full = row[:, None, :].repeat(1, query_length, 1)
    ahead = torch.ones(query_length, key_length, dtype=torch.bool).triu(key_length - query_length + 1)
    full[:, ahead] = float("-inf")
    return full


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    n_heads, t_q, head_dim = query.shape[1:]
    scores = query @ key.transpose(-2, -1) / head_dim**0.5
    scores = scores.float() + bias(n_heads, t_q, key.size(-2)).to(scores.device)
    return scores.softmax(-1).to(value.dtype) @ value
