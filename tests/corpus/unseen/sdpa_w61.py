from functools import partial

import torch

# axes: b batch, n heads, t target (query), s source (key), d head_dim, v value_dim
scores_of = partial(torch.einsum, "bntd,bnsd->bnts")
mix = partial(torch.einsum, "bnts,bnsv->bntv")


def _lower(t, s, device):
    rows = torch.arange(s - t, s, device=device)
    cols = torch.arange(s, device=device)
    return rows[:, None] >= cols[None, :]


def attention(query, key, value, mask=None, causal=False):
    t, d = query.shape[-2:]
    s = key.shape[-2]
    logits = scores_of(query, key) * (d ** -0.5)
    neg = torch.finfo(logits.dtype).min

    keep = None
    if causal:
        keep = _lower(t, s, logits.device)
    elif mask is not None:
        keep = mask.to(torch.bool)

    if keep is not None:
        logits = torch.where(keep, logits, torch.full_like(logits, neg))
    probs = logits.softmax(dim=-1)
    return mix(probs, value)
