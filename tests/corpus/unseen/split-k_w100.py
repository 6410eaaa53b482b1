# 分块解码
import math
import torch
from torch import Tensor


def to32(x: Tensor) -> Tensor:
    return x.float() if x.element_size() < 4 else x


def chunk_attention(query: Tensor, key: Tensor, value: Tensor, seen: Tensor):
    q, k, v = to32(query), to32(key), to32(value)
    scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.shape[-1])
    hidden = ~seen[:, None, None, :]
    scores = scores.masked_fill(hidden, -math.inf)
    lse = torch.logsumexp(scores, dim=-1)
    # 空块: softmax 会得到 nan
    weights = torch.softmax(scores, dim=-1)
    weights = weights.masked_fill(hidden, 0.0)
    return torch.matmul(weights, v).to(query.dtype), lse.to(query.dtype)


def merge(outputs: Tensor, lses: Tensor):
    """两两合并 (logaddexp)"""
    out, lse = to32(outputs[0]), to32(lses[0])
    for o, l in zip(to32(outputs[1:]), to32(lses[1:])):
        new = torch.logaddexp(lse, l)
        base = new.masked_fill(new == -math.inf, 0.0)
        out = torch.exp(lse - base)[..., None] * out + torch.exp(l - base)[..., None] * o
        lse = new
    return out.to(outputs.dtype), lse.to(lses.dtype)


def split_k_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int) -> Tensor:
    total = key.shape[2]
    size = (total + splits - 1) // splits
    end = int(lengths.min())
    outs, lses = [], []
    start = 0
    while start < end:  # 后面的块都是空的
        stop = min(start + size, total)
        pos = torch.arange(start, stop, device=key.device)
        seen = pos[None, :] < lengths[:, None]
        o, l = chunk_attention(to32(query), to32(key[:, :, start:stop]), to32(value[:, :, start:stop]), seen)
        outs.append(o)
        lses.append(l)
        start = stop
    return merge(torch.stack(outs), torch.stack(lses))[0].to(query.dtype)
