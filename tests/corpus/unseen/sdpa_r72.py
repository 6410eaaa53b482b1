import torch


def attention(query, key, value, mask=None, causal=False):
    *_, Tq, D = query.shape
    Tk = key.shape[-2]
    allowed = None if mask is None else mask.ne(0)
    if causal:
        low = torch.ones(Tq, Tk, dtype=torch.bool, device=query.device).tril(Tk - Tq)
        allowed = low if allowed is None else torch.logical_and(allowed, low)
    rows = []
    # ein Query nach dem anderen
    for i in range(Tq):
        s = (key * query[..., i:i + 1, :]).sum(-1) * D ** -0.5          # (B, H, Tk)
        if allowed is not None:
            a = allowed[..., i if allowed.shape[-2] > 1 else 0, :]
            s = s.masked_fill(~a, torch.finfo(s.dtype).min)
        p = torch.exp(s - s.amax(-1, keepdim=True))
        p = p / p.sum(-1, keepdim=True)
        rows.append((p.unsqueeze(-1) * value).sum(-2))
    return torch.stack(rows, dim=-2)
