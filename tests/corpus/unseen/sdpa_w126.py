import torch
from torch import vmap


def _row(q, ks, vs, ok):
    """One query: q (d,), ks (n, d), vs (n, w), ok (n,)."""
    logits = ks @ q
    logits = torch.where(ok, logits, -torch.inf)
    return torch.softmax(logits, 0) @ vs


# lift it over queries, then heads, then the batch
_head = vmap(_row, in_dims=(0, None, None, 0))
_attend = vmap(vmap(_head))


def attention(query, key, value, mask=None, causal=False):
    b, h, n, _ = query.shape
    m, d = key.shape[2], value.shape[3]

    ok = torch.ones(n, m, dtype=torch.bool, device=query.device)
    if causal:
        ok = ok.tril(m - n)
    if mask is not None:
        ok = ok & mask.bool()
    ok = ok.expand(b, h, n, m)

    return _attend(query / d**0.5, key, value, ok)
