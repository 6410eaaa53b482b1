"""Thin stand-in for flash_attn_varlen_func, in plain torch."""
import math
from itertools import accumulate, pairwise

import torch


def cumulative_lengths(lengths):
    return torch.tensor([0, *accumulate(int(n) for n in lengths)], dtype=torch.int32, device=lengths.device)


def document_mask(lengths, total):
    mask = torch.zeros((total, total), dtype=torch.bool, device=lengths.device)
    for a, b in pairwise(cumulative_lengths(lengths).tolist()):
        mask[a:b, a:b] = True
    return mask


def _softmax(s):
    s = s - s.amax(-1, keepdim=True).detach()
    e = s.exp()
    return e / e.sum(-1, keepdim=True)


def varlen_attention(query, key, value, lengths, causal=False):
    out = torch.empty_like(query)
    wide = torch.promote_types(query.dtype, torch.float32)
    sm_scale = 1 / math.sqrt(query.shape[-1])
    for a, b in pairwise(cumulative_lengths(lengths).tolist()):
        if a == b:
            continue
        q, k, v = (x[a:b].transpose(0, 1).to(wide) for x in (query, key, value))
        s = (q @ k.transpose(-1, -2)) * sm_scale
        if causal:
            s = s.masked_fill(~torch.ones(b - a, b - a, dtype=torch.bool, device=s.device).tril(), -math.inf)
        out[a:b] = (_softmax(s) @ v).transpose(0, 1).to(out.dtype)
    return out
