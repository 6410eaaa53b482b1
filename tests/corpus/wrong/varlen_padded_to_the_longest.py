# wrong: varlen tensor-too-large line 29
import math

import torch


def cumulative_lengths(lengths):
    return torch.nn.functional.pad(torch.cumsum(lengths, 0), (1, 0)).to(torch.int32)


def document_mask(lengths, total):
    cu = cumulative_lengths(lengths).tolist()
    mask = torch.zeros(total, total, device=lengths.device, dtype=torch.bool)
    for i in range(lengths.shape[0]):
        mask[cu[i]:cu[i + 1], cu[i]:cu[i + 1]] = True
    return mask


def varlen_attention(query, key, value, lengths, causal=False):
    longest = int(lengths.max())
    cu = cumulative_lengths(lengths)
    steps = torch.arange(longest, device=query.device)
    real = steps < lengths[:, None]
    at = (cu[:-1, None] + steps).clamp(max=query.shape[0] - 1)
    # (batch, heads, longest, head_dim)
    q = query[at].transpose(1, 2)
    k = key[at].transpose(1, 2)
    v = value[at].transpose(1, 2)
    s = q @ k.mT / math.sqrt(query.shape[-1])
    s = s.masked_fill(~real[:, None, None, :], torch.finfo(s.dtype).min)
    if causal:
        s = s.masked_fill(steps > steps[:, None], torch.finfo(s.dtype).min)
    context = (s.softmax(-1) @ v).transpose(1, 2)
    out = torch.zeros_like(query)
    out[: int(cu[-1])] = context[real]
    return out
