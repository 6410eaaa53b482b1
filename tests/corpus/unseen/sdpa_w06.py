import torch

NEG = float("-inf")


def safe_softmax(t, axis):
    # shift by the max for stability -- the shift carries no gradient
    top = t.detach().max(axis, keepdim=True)[0]
    top = torch.where(torch.isinf(top), torch.zeros_like(top), top)
    num = torch.exp(t - top)
    den = num.detach().sum(axis, keepdim=True)
    return num / den


def attention(query, key, value, mask=None, causal=False):
    lq, lk, width = query.shape[2], key.shape[2], query.shape[3]
    sim = torch.matmul(query / width**0.5, key.permute(0, 1, 3, 2))
    if mask is not None:
        sim = sim.masked_fill(mask.eq(0), NEG)
    if causal:
        future = torch.triu(sim.new_ones(lq, lk), diagonal=lk - lq + 1).bool()
        sim = sim.masked_fill(future, NEG)
    return torch.matmul(safe_softmax(sim, 3), value)
