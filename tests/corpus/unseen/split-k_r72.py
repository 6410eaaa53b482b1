# attn-kata: split-k
import torch


def chunk_attention(query, key, value, seen):
    s = torch.einsum("bhqd,bhkd->bhqk", query.float() if query.dtype != torch.float64 else query,
                     key.float() if key.dtype != torch.float64 else key) * query.shape[-1] ** -0.5
    s = s.masked_fill(~seen[:, None, None, :], -torch.inf)
    lse = s.logsumexp(-1)
    # an empty row has lse -inf: shift by 0 there, exp(-inf) is 0
    shift = lse.masked_fill(lse == -torch.inf, 0.0)
    p = (s - shift.unsqueeze(-1)).exp()
    out = torch.einsum("bhqk,bhkv->bhqv", p, value.to(p.dtype))
    return out.to(query.dtype), lse.to(query.dtype)


def merge(outputs, lses):
    top = lses.amax(0)
    top = torch.where(torch.isinf(top), torch.zeros_like(top), top)
    share = (lses - top).exp()
    total = share.sum(0)
    safe = total.masked_fill(total == 0, 1)
    merged = (share[..., None] * outputs).sum(0) / safe[..., None]
    return merged.to(outputs.dtype), total.log() + top


def split_k_attention(query, key, value, lengths, splits):
    n = key.shape[2]
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v = (t.to(wide) for t in (query, key, value))
    step = -(-n // splits)
    pos = torch.arange(n, device=key.device)
    outs, lses = [], []
    for lo in range(0, n, step):
        part = slice(lo, lo + step)
        o, l = chunk_attention(q, k[:, :, part], v[:, :, part], pos[part] < lengths[:, None])
        outs.append(o)
        lses.append(l)
    return merge(torch.stack(outs), torch.stack(lses))[0].to(query.dtype)
