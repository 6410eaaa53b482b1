import math

import torch
from torch.nn.functional import pad


def cumulative_lengths(lengths):
    cu = torch.zeros(lengths.numel() + 1, dtype=torch.int32, device=lengths.device)
    cu[1:] = lengths.cumsum(0)
    return cu


def sequence_ids(lengths, total):
    """Number of the sequence at each place, (total,)."""
    ids = torch.arange(lengths.numel(), device=lengths.device).repeat_interleave(lengths)
    return pad(ids, (0, total - ids.numel()))


def document_mask(lengths, total):
    ids = sequence_ids(lengths, total)
    return ids[:, None] == ids[None, :]


def varlen_attention(query, key, value, lengths, causal=False):
    total, heads, head_dim = query.shape
    acc = torch.promote_types(query.dtype, torch.float32)
    bounds = cumulative_lengths(lengths).tolist()
    rows = []
    for begin, end in zip(bounds[:-1], bounds[1:]):
        if end == begin:
            continue
        q, k, v = (t[begin:end].to(acc) for t in (query, key, value))
        s = torch.einsum("qhd,khd->hqk", q, k) / math.sqrt(head_dim)
        if causal:
            n = end - begin
            ahead = torch.ones(n, n, dtype=torch.bool, device=s.device).triu(diagonal=1)
            s = s.masked_fill(ahead, -math.inf)
        rows.append(torch.einsum("hqk,khd->qhd", torch.softmax(s, dim=-1), v))
    rows.append(torch.zeros(total - bounds[-1], heads, head_dim, dtype=acc, device=query.device))
    return torch.cat(rows).to(query.dtype)
