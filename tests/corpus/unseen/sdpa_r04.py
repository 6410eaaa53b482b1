# JAX habits: write it for one head, then vmap over heads and over the batch.
import torch
from torch.func import vmap


def _one_head(q, k, v, additive):
    s = (q @ k.t()) / (q.shape[-1] ** 0.5) + additive
    s = s - s.amax(dim=1, keepdim=True).detach()
    e = s.exp()
    return (e @ v) / e.sum(dim=1, keepdim=True)


def attention(query, key, value, mask=None, causal=False):
    B, H, Tq, _ = query.shape
    Tk = key.shape[2]
    dtype = query.dtype
    work = torch.promote_types(dtype, torch.float32)
    query, key, value = query.to(work), key.to(work), value.to(work)
    additive = query.new_zeros(B, H, Tq, Tk)
    if mask is not None:
        additive = additive.masked_fill(mask == 0, float("-inf"))
    if causal:
        later = torch.ones(Tq, Tk, dtype=torch.bool, device=query.device).triu(1 + Tk - Tq)
        additive = additive.masked_fill(later, float("-inf"))
    return vmap(vmap(_one_head))(query, key, value, additive).to(dtype)
