import torch
from torch import Tensor
from torch.func import vmap


def _single_query(q, keys, values, allowed):
    """q: (d,), keys: (S, d), values: (S, e), allowed: (S,) of bools"""
    s = keys @ q / q.shape[0] ** 0.5
    s = torch.where(allowed, s, torch.finfo(s.dtype).min)
    w = torch.exp(s - s.amax())
    return (w @ values) / w.sum()


_over_queries = vmap(_single_query, in_dims=(0, None, None, 0))
_over_heads = vmap(_over_queries)
_over_batch = vmap(_over_heads)


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False) -> Tensor:
    b, h, n, _ = query.shape
    s = key.shape[2]
    allowed = torch.ones((b, h, n, s), dtype=torch.bool, device=query.device)
    if mask is not None:
        allowed = torch.logical_and(allowed, mask.bool())
    if causal:
        where_q = torch.arange(s - n, s, device=query.device)
        where_k = torch.arange(s, device=query.device)
        allowed = torch.logical_and(allowed, where_q[:, None] >= where_k[None, :])
    return _over_batch(query, key, value, allowed)
