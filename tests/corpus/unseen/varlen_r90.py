import torch
import torch.nn.functional as F


def cumulative_lengths(lengths):
    return F.pad(lengths.long().cumsum(0), (1, 0))


def document_mask(lengths, total):
    n = lengths.numel()
    doc = torch.repeat_interleave(torch.arange(n, device=lengths.device), lengths.long())
    doc = F.pad(doc, (0, total - doc.numel()), value=-1)
    return (doc[:, None] == doc) & (doc >= 0)


def _one(q, k, v, causal):
    # (n, h, d) -> (h, n, d), heads in front
    q, k, v = (t.transpose(0, 1) for t in (q, k, v))
    s = (q * q.shape[-1] ** -0.5) @ k.transpose(1, 2)
    if causal:
        n = s.shape[-1]
        s = s.masked_fill(torch.ones(n, n, dtype=torch.bool, device=s.device).triu(1), float("-inf"))
    return (s.softmax(-1) @ v).transpose(0, 1)


def varlen_attention(query, key, value, lengths, causal=False):
    sizes = lengths.tolist()
    sizes.append(query.shape[0] - sum(sizes))
    wide = torch.promote_types(query.dtype, torch.float32)
    *parts, (tail, _, _) = zip(*(t.split(sizes) for t in (query, key, value)))
    outs = [_one(q.to(wide), k.to(wide), v.to(wide), causal) for q, k, v in parts]
    return torch.cat(outs + [torch.zeros_like(tail, dtype=wide)]).to(query.dtype)
