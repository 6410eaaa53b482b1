import torch
from torch import Tensor


def _shift(x: Tensor, by: int) -> Tensor:
    """row t gets row t - by; the first ones get zeros"""
    if by == 0:
        return x
    return torch.cat([torch.zeros_like(x[:, :, :by]), x[:, :, : x.shape[2] - by]], dim=2)


def _diagonals(q: Tensor, k: Tensor, span: int):
    scale = q.shape[-1] ** -0.5
    for back in range(span):
        s = (q * _shift(k, back)).sum(-1) * scale
        early = torch.arange(q.shape[2], device=q.device) < back
        yield s.masked_fill(early, -torch.inf)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """The band of scores, one diagonal after another: 0 places back, 1 back, 2 back ..."""
    dtype = query.dtype
    up = torch.promote_types(dtype, torch.float32)
    q, k, v = query.to(up), key.to(up), value.to(up)
    span = min(window, q.shape[2])
    band = torch.stack(list(_diagonals(q, k, span)), dim=0)
    weights = torch.exp(band - torch.logsumexp(band, dim=0))
    out = sum(w.unsqueeze(-1) * _shift(v, back) for back, w in enumerate(weights.unbind(0)))
    return out.to(dtype)
