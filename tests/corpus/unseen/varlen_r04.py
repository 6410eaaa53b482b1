import math

import torch
import torch.nn.functional as F


def cumulative_lengths(lengths):
    return F.pad(torch.cumsum(lengths, 0, dtype=torch.int32), (1, 0))


def document_mask(lengths, total):
    n = lengths.shape[0]
    ids = torch.repeat_interleave(torch.arange(n, device=lengths.device), lengths.long())
    ids = torch.cat([ids, ids.new_full((total - ids.shape[0],), -1)])
    return ids[:, None].eq(ids[None, :]) & ids.ge(0)


def _one(q, k, v, causal):
    """(n, heads, dim) each: a single sequence."""
    q, k, v = (u.permute(1, 0, 2) for u in (q, k, v))
    scores = torch.bmm(q / math.sqrt(q.shape[-1]), k.permute(0, 2, 1))
    if causal:
        n = scores.shape[-1]
        later = torch.arange(n, device=q.device)[None, :] > torch.arange(n, device=q.device)[:, None]
        scores = scores.masked_fill(later, float("-inf"))
    return torch.bmm(scores.softmax(dim=-1), v).permute(1, 0, 2)


def varlen_attention(query, key, value, lengths, causal=False):
    sizes = [int(n) for n in lengths]
    rest = query.shape[0] - sum(sizes)
    cut = sizes + [rest]
    qs, ks, vs = query.split(cut), key.split(cut), value.split(cut)
    done = [_one(q, k, v, causal) for q, k, v in zip(qs[:-1], ks[:-1], vs[:-1])]
    return torch.cat(done + [torch.zeros_like(vs[-1])])
