import torch


def chunk_attention(query, key, value, seen):
    s = torch.matmul(query * query.shape[-1] ** -0.5, key.mT)
    s = s.to(torch.promote_types(s.dtype, torch.float32)).masked_fill_(~seen[:, None, None], -torch.inf)
    l = s.logsumexp(-1)
    p = s.sub_(l.nan_to_num(neginf=0.0).unsqueeze(-1)).exp_()
    return p.to(value.dtype) @ value, l


def merge(outputs, lses):
    top = lses.amax(0).nan_to_num(neginf=0.0)
    w = torch.sub(lses, top).exp_()
    z = w.sum(0)
    out = (w.unsqueeze(-1) * outputs).sum(0).div_(z.masked_fill(z == 0, 1).unsqueeze(-1))
    return out.to(outputs.dtype), z.log_()


def split_k_attention(query, key, value, lengths, splits):
    n = key.size(2)
    live = torch.arange(n, device=key.device) < lengths.to(key.device).unsqueeze(1)
    size = (n + splits - 1) // splits
    parts = [
        chunk_attention(query, k, v, s)
        for k, v, s in zip(key.split(size, 2), value.split(size, 2), live.split(size, 1))
    ]
    o, l = map(torch.stack, zip(*parts))
    return merge(o, l)[0]
