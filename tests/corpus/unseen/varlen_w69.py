import math
import torch


def cumulative_lengths(lengths):
    offsets = [0]
    for length in lengths.tolist():
        next_offset = offsets[-1] + length
        offsets.append(next_offset)
    return torch.tensor(offsets, dtype=torch.int64, device=lengths.device)


def document_mask(lengths, total):
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    offsets = cumulative_lengths(lengths).tolist()
    for index in range(len(lengths)):
        begin = offsets[index]
        end = offsets[index + 1]
        mask[begin:end, begin:end] = True
    return mask


def varlen_attention(query, key, value, lengths, causal=False):
    head_dim = query.shape[-1]
    output = torch.zeros_like(query)
    offsets = cumulative_lengths(lengths).tolist()
    for index in range(len(lengths)):
        begin = offsets[index]
        end = offsets[index + 1]
        size = end - begin
        if size == 0:
            break
        q = query[begin:end].transpose(0, 1)
        k = key[begin:end].transpose(0, 1)
        v = value[begin:end].transpose(0, 1)
        scores = torch.matmul(q, k.transpose(1, 2))
        scores = scores / math.sqrt(head_dim)
        if causal:
            allowed = torch.ones(size, size, dtype=torch.bool, device=query.device).tril()
            scores = scores.masked_fill(~allowed, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        context = torch.matmul(weights, v)
        output[begin:end] = context.transpose(0, 1)
    return output
