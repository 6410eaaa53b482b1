import torch


def attention(query, key, value, mask=None, causal=False):
    # q: (b, h, i, d)   k: (b, h, j, d)   v: (b, h, j, e)
    i, j = query.shape[2], key.shape[2]
    sim = (query @ key.transpose(2, 3)) / value.shape[-1] ** 0.5

    keep = torch.ones(1, 1, i, j, device=query.device, dtype=torch.bool)
    if causal:
        keep = keep.tril(j - i)
    if mask is not None:
        keep = keep & mask.bool()
    sim = sim.masked_fill(keep.logical_not(), torch.finfo(sim.dtype).min)

    sim = sim - sim.amax(dim=-1, keepdim=True).detach()
    e = sim.exp()
    attn = e / e.sum(dim=-1, keepdim=True)
    return attn @ value
