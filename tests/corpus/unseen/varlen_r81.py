from itertools import accumulate, pairwise

import torch


def cumulative_lengths(lengths):
    return torch.tensor([0, *accumulate(lengths.tolist())], dtype=torch.int32, device=lengths.device)


def document_mask(lengths, total):
    blocks = [torch.ones(n, n, dtype=torch.bool, device=lengths.device) for n in lengths.tolist()]
    spare = total - int(lengths.sum())
    blocks.append(torch.zeros(spare, spare, dtype=torch.bool, device=lengths.device))
    return torch.block_diag(*blocks).to(torch.bool)


def varlen_attention(query, key, value, lengths, causal=False):
    pieces = []
    offsets = cumulative_lengths(lengths).tolist()
    for start, stop in pairwise(offsets):
        q, k, v = (t[start:stop].movedim(0, 1) for t in (query, key, value))       # heads, n, d
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if causal:
            n = stop - start
            scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool, device=q.device).triu(1), -torch.inf)
        pieces.append((scores.softmax(dim=-1) @ v).movedim(0, 1))
    pieces.append(torch.zeros_like(value[offsets[-1] :]))
    return torch.cat(pieces, dim=0)
