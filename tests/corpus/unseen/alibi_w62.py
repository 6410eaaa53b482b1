import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    def series(n, step=1):
        i = torch.arange(1, n + 1, step, dtype=torch.float32)
        return torch.exp2(-8.0 * i / n)

    p = 1
    while 2 * p <= heads:
        p *= 2
    return torch.cat([series(p), series(2 * p, 2)])[:heads]


def _add_distances(s: Tensor, slope: Tensor) -> Tensor:
    """s (..., heads, q, k) minus slope * distance, hidden ahead of the query."""
    n_q, n_k = s.shape[-2:]
    at = torch.arange(n_k, device=s.device).to(s.dtype)
    gap = at[n_k - n_q:].unsqueeze(-1) - at
    s = s - slope.to(s)[:, None, None] * gap
    return s.masked_fill(gap < 0, float("-inf"))


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    return _add_distances(torch.zeros(heads, query_length, key_length), slopes(heads))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    s = torch.matmul(query, key.transpose(2, 3)) * query.shape[-1] ** -0.5
    s = _add_distances(s, slopes(query.shape[1]))
    p = torch.softmax(s, dim=-1, dtype=torch.promote_types(s.dtype, torch.float32)).to(value.dtype)
    return torch.matmul(p, value)
