from typing import NamedTuple
import torch
from torch import Tensor


class Grads(NamedTuple):
    query: Tensor
    key: Tensor
    value: Tensor


def _rows(n: int, size: int = 64):
    """yield index vectors of query rows"""
    a = 0
    while a < n:
        yield torch.arange(a, min(a + size, n))
        a += size


def attention_backward(query, key, value, grad_output, causal=False):
    """
    Block of rows by block of rows; what falls on keys and values is added up by index_add.
    The row sum of P*dP is taken as dO . O.
    """
    keep = query.dtype
    wide = torch.promote_types(keep, torch.float32)
    Q, K, V, G = (t.to(wide) for t in (query, key, value, grad_output))
    *_, m, d = Q.shape
    n = K.shape[-2]
    root = d ** 0.5
    everything = torch.arange(n, device=Q.device)
    gq = torch.zeros_like(Q)
    gk = torch.zeros_like(K)
    gv = torch.zeros_like(V)
    for r in _rows(m):
        r = r.to(Q.device)
        q, g = Q.index_select(2, r), G.index_select(2, r)
        s = torch.einsum('uvix,uvjx->uvij', q, K) / root
        if causal:
            s = s.masked_fill(everything > (r + n - m).view(-1, 1), float('-inf'))
        p = torch.softmax(s, dim=-1)
        o = torch.einsum('uvij,uvjy->uviy', p, V)
        delta = torch.einsum('uviy,uviy->uvi', g, o)
        ds = p * (torch.einsum('uviy,uvjy->uvij', g, V) - delta[..., None])
        gq.index_copy_(2, r, torch.einsum('uvij,uvjx->uvix', ds, K) / root)
        gk.index_add_(2, everything, torch.einsum('uvij,uvix->uvjx', ds, q), alpha=1 / root)
        gv.index_add_(2, everything, torch.einsum('uvij,uviy->uvjy', p, g))
    return Grads(*(t.to(keep) for t in (gq, gk, gv)))
