# wrong: split-k chunk-offset-missing line 39
import math

import torch
from torch import Tensor

NEG_INF = float("-inf")


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor):
    """一个块：输出和 log-sum-exp"""
    s = torch.matmul(query, key.mT) / math.sqrt(query.size(-1))
    s = s.masked_fill(~seen.view(seen.size(0), 1, 1, -1), NEG_INF)
    m = s.amax(dim=-1, keepdim=True)
    m = torch.where(m == NEG_INF, torch.zeros_like(m), m)      # 空块
    e = torch.exp(s - m)
    z = e.sum(dim=-1, keepdim=True)
    o = torch.matmul(e, value) / torch.where(z == 0, torch.ones_like(z), z)
    return o, (m + torch.log(z)).squeeze(-1)


def merge(outputs: Tensor, lses: Tensor):
    m = lses.amax(dim=0)
    m = torch.where(m == NEG_INF, torch.zeros_like(m), m)
    w = torch.exp(lses - m)
    z = w.sum(dim=0)
    o = (w.unsqueeze(-1) * outputs).sum(dim=0)
    o = o / torch.where(z == 0, torch.ones_like(z), z).unsqueeze(-1)
    return o, m + torch.log(z)


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    key_length = key.size(2)
    step = -(-key_length // splits)
    outs, lses = [], []
    for begin in range(0, key_length, step):
        k = key[:, :, begin:begin + step]
        v = value[:, :, begin:begin + step]
        index = torch.arange(k.size(2), device=k.device)
        seen = index.unsqueeze(0) < lengths.unsqueeze(1)
        o, lse = chunk_attention(query, k, v, seen)
        outs.append(o)
        lses.append(lse)
    return merge(torch.stack(outs), torch.stack(lses))[0]
