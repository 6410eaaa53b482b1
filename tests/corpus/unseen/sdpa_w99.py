import torch


def softmax_rows(s):
    s = s - s.max(dim=-1, keepdim=True).values
    e = s.exp()
    return e / e.sum(dim=-1, keepdim=True)


def attention(query, key, value, mask=None, causal=False):
    B, H, Lq, D = query.shape
    Lk = key.shape[2]

    keep = torch.ones(B, H, Lq, Lk, dtype=torch.bool, device=query.device)
    if mask is not None:
        keep = keep & mask.bool()
    if causal:
        i = torch.arange(Lk - Lq, Lk, device=query.device)
        j = torch.arange(Lk, device=query.device)
        keep = keep & (j[None, :] <= i[:, None])

    out = torch.zeros_like(query)
    for b in range(B):
        for h in range(H):
            s = query[b, h] @ key[b, h].t() / D**0.5
            s = s.masked_fill(~keep[b, h], torch.finfo(s.dtype).min)
            out[b, h] = softmax_rows(s) @ value[b, h]
    return out
