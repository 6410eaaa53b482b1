import torch


def one_head(q, k, v, seen):
    """q (B, T, hs), k (B, S, hs), v (B, S, dv), seen broadcasts to (B, T, S) or is None"""
    att = torch.baddbmm(q.new_zeros(1), q, k.mT, alpha=q.size(-1) ** -0.5)
    if seen is not None:
        att = torch.where(seen, att, float("-inf"))
    return att.softmax(dim=-1).bmm(v)


def attention(query, key, value, mask=None, causal=False):
    B, nh, T, _ = query.shape
    S = key.shape[2]

    seen = None
    if causal:
        seen = torch.ones(T, S, device=query.device).tril(S - T).bool()[None]
    if mask is not None:
        mask = mask.bool()
        if mask.dim() == 4:
            mask = mask[:, 0]
        seen = mask if seen is None else seen & mask

    heads = zip(query.unbind(1), key.unbind(1), value.unbind(1))
    return torch.stack([one_head(q, k, v, seen) for q, k, v in heads], dim=1)
