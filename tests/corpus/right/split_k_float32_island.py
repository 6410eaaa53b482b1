# right: split-k
import math

import torch


def chunk_attention(query, key, value, seen):
    dtype = query.dtype
    work = torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype
    scores = (query.to(work) @ key.to(work).mT) / math.sqrt(query.shape[-1])
    scores.masked_fill_(~seen[:, None, None, :], float("-inf"))
    lse = torch.logsumexp(scores, dim=-1, keepdim=True)
    empty = lse == float("-inf")
    p = torch.exp(scores - lse.masked_fill(empty, 0.0))
    return (p @ value.to(work)).to(dtype), lse.squeeze(-1).to(dtype)


def merge(outputs, lses):
    work = torch.float32 if lses.dtype in (torch.float16, torch.bfloat16) else lses.dtype
    total = torch.logsumexp(lses.to(work), dim=0)
    w = torch.exp(lses.to(work) - total).nan_to_num(0.0).unsqueeze(-1)
    return (w * outputs.to(work)).sum(dim=0).to(outputs.dtype), total.to(lses.dtype)


def split_k_attention(query, key, value, lengths, splits):
    n = key.shape[-2]
    size = max(1, math.ceil(n / splits))
    o, l = [], []
    for start in range(0, n, size):
        end = min(start + size, n)
        seen = torch.arange(start, end, device=lengths.device) < lengths.view(-1, 1)
        a, b = chunk_attention(query, key[..., start:end, :], value[..., start:end, :], seen)
        o += [a]
        l += [b]
    return merge(torch.stack(o), torch.stack(l))[0]
