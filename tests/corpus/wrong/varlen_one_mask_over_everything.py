# wrong: varlen tensor-too-large line 21
import torch


def cumulative_lengths(lengths):
    return torch.nn.functional.pad(lengths.cumsum(0), (1, 0))


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths)
    place = torch.arange(total, device=lengths.device)
    doc = torch.bucketize(place, cu[1:], right=True)
    return (doc[:, None] == doc[None, :]) & (place < cu[-1])


def varlen_attention(query, key, value, lengths, causal=False):
    total, heads, dim = query.shape
    q, k, v = (t.transpose(0, 1) for t in (query, key, value))
    # scores of everything, masked
    mask = document_mask(lengths, total)
    scores = q @ k.transpose(1, 2) / dim ** 0.5
    if causal:
        mask = mask.tril()
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1) * mask
    return (weights @ v).transpose(0, 1)
