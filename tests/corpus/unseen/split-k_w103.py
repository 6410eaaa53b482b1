import math

import torch


def chunk_attention(query, key, value, seen):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~seen[:, None, None, :], float("-inf"))

    m = scores.max(dim=-1, keepdim=True).values
    m = torch.where(torch.isinf(m), torch.zeros_like(m), m)
    p = torch.exp(scores - m)
    s = p.sum(dim=-1, keepdim=True)
    output = torch.matmul(p, value) / torch.where(s == 0, torch.ones_like(s), s)
    lse = (m + torch.log(s)).squeeze(-1)
    return output, lse


def merge(outputs, lses):
    m = lses.max(dim=0, keepdim=True).values
    m = torch.where(torch.isinf(m), torch.zeros_like(m), m)
    w = torch.exp(lses - m)
    total = w.sum(dim=0)
    safe_total = torch.where(total == 0, torch.ones_like(total), total)
    merged = (w.unsqueeze(-1) * outputs).sum(dim=0) / safe_total.unsqueeze(-1)
    merged_lse = torch.log(total)
    return merged, merged_lse


def split_k_attention(query, key, value, lengths, splits):
    key_length = key.shape[2]
    chunk_size = math.ceil(key_length / splits)
    outputs, lses = [], []
    for start in range(0, key_length, chunk_size):
        end = min(start + chunk_size, key_length)
        positions = torch.arange(start, end, device=query.device)
        seen = positions[None, :] < lengths[:, None]
        o, l = chunk_attention(query, key[:, :, start:end], value[:, :, start:end], seen)
        outputs.append(o)
        lses.append(l)
    merged, _ = merge(torch.stack(outputs), torch.stack(lses))
    return merged
