# right: varlen
import torch
from torch.nn.functional import pad


def cumulative_lengths(lengths):
    return pad(lengths.cumsum(0, dtype=torch.int32), (1, 0))


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths)
    place = torch.arange(total, device=lengths.device)
    # (total, batch): does place p belong to document n?
    member = (place[:, None] >= cu[:-1]) & (place[:, None] < cu[1:])
    return (member[:, None, :] & member[None, :, :]).any(-1)


def varlen_attention(query, key, value, lengths, causal=False):
    total, heads, dim = query.shape
    chunks = []
    bounds = cumulative_lengths(lengths).tolist()
    for lo, hi in zip(bounds, bounds[1:]):
        if lo == hi:
            continue
        q, k, v = (t[lo:hi].transpose(0, 1) for t in (query, key, value))
        s = (q * dim**-0.5) @ k.transpose(1, 2)
        if causal:
            s = s.masked_fill(torch.ones(hi - lo, hi - lo, dtype=torch.bool, device=s.device).triu(1), float("-inf"))
        chunks.append((s.softmax(-1) @ v).transpose(0, 1))
    chunks.append(query.new_zeros(total - bounds[-1], heads, dim))
    return torch.cat(chunks, dim=0)
