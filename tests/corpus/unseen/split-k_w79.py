import torch


def chunk_attention(query, key, value, seen):
    s = torch.einsum("bhqd,bhkd->bhqk", query, key) / query.size(-1) ** 0.5
    hidden = ~seen[:, None, None, :]
    s = s.masked_fill(hidden, float("-inf"))
    top = s.amax(-1, keepdim=True).clamp(min=torch.finfo(s.dtype).min)
    p = torch.exp(s - top)
    z = p.sum(-1, keepdim=True)
    out = torch.einsum("bhqk,bhkd->bhqd", p / z.clamp(min=1e-30 if s.dtype != torch.float16 else 1e-7), value)
    return out, (top + z.log()).squeeze(-1)


def merge(outputs, lses):
    top = lses.amax(0).clamp(min=torch.finfo(lses.dtype).min)
    w = torch.exp(lses - top)
    z = w.sum(0)
    share = w / torch.where(z > 0, z, torch.ones_like(z))
    return torch.einsum("sbhq,sbhqe->bhqe", share, outputs), top + z.log()


def split_k_attention(query, key, value, lengths, splits):
    n = key.size(2)
    bounds = [n * i // splits for i in range(splits + 1)]
    outs, lses = [], []
    for lo, hi in zip(bounds, bounds[1:]):
        if lo == hi:
            continue
        if lo >= int(lengths[0]):
            break  # nobody reads this far
        pos = torch.arange(lo, hi, device=key.device)
        o, l = chunk_attention(query, key[:, :, lo:hi], value[:, :, lo:hi], pos[None] < lengths[:, None])
        outs.append(o)
        lses.append(l)
    return merge(torch.stack(outs), torch.stack(lses))[0]
