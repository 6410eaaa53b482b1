import math

import torch


def cumulative_lengths(lengths):
    zero = torch.zeros([1], dtype=torch.int64, device=lengths.device)
    return torch.concat([zero, torch.cumsum(lengths, dim=0)], dim=0)


def segment_ids(lengths, total):
    ends = cumulative_lengths(lengths)[1:]
    places = torch.arange(total, device=lengths.device)
    return torch.searchsorted(ends, places, right=True)


def document_mask(lengths, total):
    ids = segment_ids(lengths, total)
    return torch.eq(ids[:, None], ids[None, :])


def varlen_attention(query, key, value, lengths, causal=False):
    total, heads, depth = query.shape
    parts = lengths.tolist()
    parts.append(total - sum(parts))
    q_list = torch.split(query, parts)
    k_list = torch.split(key, parts)
    v_list = torch.split(value, parts)
    outputs = []
    for q, k, v in zip(q_list[:-1], k_list[:-1], v_list[:-1]):
        logits = torch.einsum("qhd,khd->hqk", q, k) / math.sqrt(depth)
        if causal:
            band = torch.tril(torch.ones_like(logits[0], dtype=torch.bool)) if len(q) else None
            logits = torch.where(band, logits, -math.inf) if len(q) else logits
        probs = torch.nn.functional.softmax(logits, dim=-1)
        outputs.append(torch.einsum("hqk,khd->qhd", probs, v))
    outputs.append(torch.zeros_like(q_list[-1]))
    return torch.concat(outputs, dim=0)
