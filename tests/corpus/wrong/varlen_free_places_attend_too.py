# wrong: varlen packed-tail-filled line 22
import math

import torch


def cumulative_lengths(lengths):
    return torch.hstack([lengths.new_tensor([0]), lengths.cumsum(-1)])


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths)
    rows = torch.arange(total, device=lengths.device)
    doc = torch.searchsorted(cu[1:].contiguous(), rows, right=True)
    doc = torch.where(rows < cu[-1], doc, -1 - rows)
    same = doc[None, :] == doc[:, None]
    return same & (doc >= 0)


def varlen_attention(query, key, value, lengths, causal=False):
    bounds = cumulative_lengths(lengths).tolist()
    bounds.append(len(query))
    pieces = []
    for lo, hi in zip(bounds, bounds[1:]):
        q, k, v = query[lo:hi], key[lo:hi], value[lo:hi]
        scores = torch.einsum("ihd,jhd->hij", q, k) / math.sqrt(q.shape[-1])
        if causal:
            mask = torch.tril(scores.new_ones(hi - lo, hi - lo))
            scores = scores.masked_fill(mask == 0, -1e9 if scores.dtype != torch.float16 else -6e4)
        pieces.append(torch.einsum("hij,jhd->ihd", torch.softmax(scores, dim=-1), v))
    return torch.cat(pieces)
