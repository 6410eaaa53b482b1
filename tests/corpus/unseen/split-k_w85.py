# attn-kata: split-k
import math

import torch
from torch import Tensor


def _no_inf(t: Tensor) -> Tensor:
    return torch.where(t == float("-inf"), torch.zeros_like(t), t)


def chunk_attention(query, key, value, seen):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~seen[:, None, None], float("-inf"))
    peak = _no_inf(scores.amax(dim=-1, keepdim=True))
    e = torch.exp(scores - peak)
    total = e.sum(dim=-1, keepdim=True)
    out = (e / total.clamp(min=torch.finfo(e.dtype).tiny)) @ value
    lse = (total.log() + peak).squeeze(-1)
    return out, lse


def merge(outputs, lses):
    lse = torch.logsumexp(lses, dim=0)
    share = torch.exp(lses - _no_inf(lse))
    return (share.unsqueeze(-1) * outputs).sum(dim=0), lse


def split_k_attention(query, key, value, lengths, splits):
    outs, lses = [], []
    start = 0
    for k, v in zip(key.tensor_split(splits, dim=2), value.tensor_split(splits, dim=2)):
        size = k.shape[2]
        if size == 0:
            continue
        place = torch.arange(size, device=key.device)
        seen = place[None, :] < lengths[:, None]
        o, l = chunk_attention(query, k, v, seen)
        outs.append(o)
        lses.append(l)
        start += size
    return merge(torch.stack(outs), torch.stack(lses))[0]
