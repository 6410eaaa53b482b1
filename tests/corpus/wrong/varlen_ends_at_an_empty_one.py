# wrong: varlen sequence-left-out line 22
import torch


def cumulative_lengths(lengths):
    bounds = torch.zeros(len(lengths) + 1, dtype=torch.int32, device=lengths.device)
    bounds[1:] = lengths.cumsum(0)
    return bounds


def document_mask(lengths, total):
    bounds = cumulative_lengths(lengths)
    at = torch.arange(total, device=lengths.device)
    inside = (at[:, None] >= bounds[:-1]) & (at[:, None] < bounds[1:])
    return (inside[:, None] & inside[None]).any(-1)


def varlen_attention(query, key, value, lengths, causal=False):
    output = torch.zeros_like(query)
    start = 0
    for length in lengths.tolist():
        if length == 0:
            break
        q, k, v = (one[start : start + length].transpose(0, 1) for one in (query, key, value))
        scores = q @ k.mT * q.shape[-1] ** -0.5
        if causal:
            scores = scores.masked_fill(torch.ones_like(scores).triu(1) > 0, float("-inf"))
        output[start : start + length] = (scores.softmax(-1) @ v).transpose(0, 1)
        start += length
    return output
