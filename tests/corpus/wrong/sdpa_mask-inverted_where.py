# wrong: sdpa mask-inverted line 9
import torch


def attention(query, key, value, mask=None, causal=False):
    sim = query @ key.transpose(-1, -2)
    sim = sim / query.size(-1) ** 0.5
    if mask is not None:
        sim = sim.masked_fill(mask.bool(), torch.finfo(sim.dtype).min)
    if causal:
        t, s = sim.size(-2), sim.size(-1)
        blocked = torch.ones((t, s), device=sim.device, dtype=torch.bool).triu(s - t + 1)
        sim = sim.masked_fill(blocked, torch.finfo(sim.dtype).min)
    attn = sim.softmax(dim=-1)
    return attn @ value
