# wrong: split-k lse-without-max line 12
import torch


def chunk_attention(query, key, value, seen):
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / query.size(-1) ** 0.5
    scores = scores.masked_fill(~seen[:, None, None], -torch.inf)
    top = scores.amax(-1, keepdim=True)
    top = torch.where(torch.isinf(top), torch.zeros_like(top), top)
    e = torch.exp(scores - top)
    z = e.sum(-1, keepdim=True)
    lse = torch.log(z)
    return e @ value / z.clamp_min(1e-9), lse[..., 0]


def merge(outputs, lses):
    m = lses.amax(0)
    e = torch.exp(lses - m)
    z = e.sum(0)
    return (e.unsqueeze(-1) * outputs).sum(0) / z.unsqueeze(-1), m + z.log()


def split_k_attention(query, key, value, lengths, splits):
    ks, vs = key.chunk(splits, dim=2), value.chunk(splits, dim=2)
    at = 0
    parts = []
    for k, v in zip(ks, vs):
        ids = torch.arange(at, at + k.size(2), device=k.device)
        parts.append(chunk_attention(query, k, v, ids < lengths[:, None]))
        at += k.size(2)
    return merge(torch.stack([p[0] for p in parts]), torch.stack([p[1] for p in parts]))[0]
