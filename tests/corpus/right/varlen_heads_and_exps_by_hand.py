# right: varlen
import torch


def cumulative_lengths(lengths):
    ends = lengths.cumsum(0)
    return torch.cat((ends[:1] * 0, ends))


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths)
    i = torch.arange(total, device=lengths.device)
    inside = (i[None] >= cu[:-1, None]) & (i[None] < cu[1:, None])
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    for row in inside:
        mask |= row[:, None] & row[None, :]
    return mask


def varlen_attention(query, key, value, lengths, causal=False):
    total, heads, dim = query.shape
    result = torch.zeros(total, heads, dim, dtype=query.dtype, device=query.device)
    cu = cumulative_lengths(lengths)
    for b in range(lengths.numel()):
        lo, hi = int(cu[b]), int(cu[b + 1])
        if hi <= lo:
            continue
        for h in range(heads):
            scores = query[lo:hi, h] @ key[lo:hi, h].T / dim ** 0.5
            if causal:
                later = torch.ones_like(scores, dtype=torch.bool).triu(1)
                scores = scores.masked_fill(later, -torch.inf)
            exps = torch.exp(scores - scores.amax(dim=1, keepdim=True))
            result[lo:hi, h] = exps @ value[lo:hi, h] / exps.sum(dim=1, keepdim=True)
    return result
