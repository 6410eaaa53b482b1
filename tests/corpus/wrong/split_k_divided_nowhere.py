# wrong: split-k chunk-not-normalised line 11
import torch


def chunk_attention(query, key, value, seen):
    scores = query @ key.mT * query.shape[-1] ** -0.5
    scores = scores.masked_fill(~seen[:, None, None, :], float("-inf"))
    m = scores.max(-1, keepdim=True).values.clamp_min(-1e4)
    e = torch.exp(scores - m)
    lse = m + e.sum(-1, keepdim=True).log()
    return e @ value, lse.squeeze(-1)


def merge(outputs, lses):
    w = lses.softmax(0).unsqueeze(-1)
    return (outputs * w).sum(0), lses.logsumexp(0)


def split_k_attention(query, key, value, lengths, splits):
    size = -(-key.size(2) // splits)
    o, l = [], []
    for i, (k, v) in enumerate(zip(key.split(size, 2), value.split(size, 2))):
        j = i * size + torch.arange(k.size(2), device=k.device)
        out, lse = chunk_attention(query, k, v, j < lengths[:, None])
        o.append(out)
        l.append(lse)
    return merge(torch.stack(o), torch.stack(l))[0]
