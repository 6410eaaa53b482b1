# wrong: varlen packed-tail-seen line 15
import math

import torch


def cumulative_lengths(lengths):
    head = torch.tensor([0], device=lengths.device, dtype=lengths.dtype)
    return torch.cat([head, lengths]).cumsum(0)


def document_mask(lengths, total):
    offsets = cumulative_lengths(lengths)
    document = (torch.arange(total, device=lengths.device)[:, None] >= offsets[1:]).sum(-1)
    return document[:, None] == document[None, :]


def varlen_attention(query, key, value, lengths, causal=False):
    offsets = cumulative_lengths(lengths).tolist()
    output = query.new_zeros(query.shape)
    for begin, end in zip(offsets[:-1], offsets[1:]):
        length = end - begin
        q = query[begin:end].permute(1, 0, 2)
        k = key[begin:end].permute(1, 0, 2)
        v = value[begin:end].permute(1, 0, 2)
        scores = torch.matmul(q, k.permute(0, 2, 1)) / math.sqrt(q.size(-1))
        if causal:
            visible = torch.tril(torch.ones(length, length, device=q.device))
            scores = scores.masked_fill(visible == 0, float("-inf"))
        context = torch.matmul(torch.softmax(scores, -1), v)
        output[begin:end] = context.permute(1, 0, 2)
    return output
