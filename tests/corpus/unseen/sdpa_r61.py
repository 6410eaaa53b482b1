"""Single-head attention written once, lifted over batch and heads the way I would do it in JAX."""
import torch
from torch.func import vmap


def _single(q, k, v, allowed):
    # q (Q, D), k (K, D), v (K, V), allowed (Q, K)
    logits = (q * q.shape[-1] ** -0.5) @ k.T
    logits = torch.where(allowed, logits, torch.finfo(logits.dtype).min)
    logits = logits - logits.amax(-1, keepdim=True).detach()
    e = torch.exp(logits)
    return torch.divide(e, e.sum(-1, keepdim=True)) @ v


_heads = vmap(_single, in_dims=(0, 0, 0, 0))
_batched = vmap(_heads, in_dims=(0, 0, 0, 0))


def attention(query, key, value, mask=None, causal=False):
    *lead, n_q, _ = query.shape
    n_k = key.shape[-2]
    allowed = torch.ones((), dtype=torch.bool, device=query.device)
    if mask is not None:
        allowed = allowed & mask.ne(0)
    if causal:
        pos = torch.arange(n_k, device=query.device)
        allowed = allowed & (pos <= pos[n_k - n_q:].unsqueeze(-1))
    return _batched(query, key, value, allowed.expand(*lead, n_q, n_k))
