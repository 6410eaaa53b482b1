import torch


def _stable(z):
    z = z - z.max(dim=-1, keepdim=True)[0]
    e = torch.exp(z)
    return e / torch.sum(e, dim=-1, keepdim=True)


def attention(query, key, value, mask=None, causal=False):
    d = query.shape[3]
    query = query / d**0.25
    key = key / d**0.25
    att = torch.matmul(query, key.transpose(2, 3))
    neg = torch.finfo(att.dtype).min
    if mask is not None:
        att = torch.where(mask == 1, att, torch.full_like(att, neg))
    if causal:
        Tq, Tk = att.shape[2], att.shape[3]
        tri = torch.triu(
            torch.ones(Tq, Tk, dtype=torch.bool, device=att.device), diagonal=1 + Tk - Tq
        )
        att = att.masked_fill(tri, neg)
    return torch.matmul(_stable(att), value)
