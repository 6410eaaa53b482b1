# wrong: split-k empty-chunk-nan line 18 chunk-offset-missing line 29
# fair: chunk-offset-missing 29, 30, 31
import math

import torch


def chunk_attention(q, k, v, seen):
    s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    s = s.masked_fill(~seen[:, None, None, :], float("-inf"))
    lse = torch.logsumexp(s, dim=-1)
    p = torch.softmax(s, dim=-1)
    p = torch.nan_to_num(p)
    return p @ v, lse


def merge(outputs, lses):
    w = torch.softmax(lses, dim=0)
    out = (w[..., None] * outputs).sum(dim=0)
    return out, torch.logsumexp(lses, dim=0)


def split_k_attention(q, k, v, lengths, splits):
    n = k.shape[2]
    size = -(-n // splits)
    outs, lses = [], []
    for start in range(0, n, size):
        stop = min(n, start + size)
        pos = torch.arange(stop - start, device=k.device)
        seen = pos[None, :] < lengths[:, None]
        o, l = chunk_attention(q, k[:, :, start:stop], v[:, :, start:stop], seen)
        outs.append(o)
        lses.append(l)
    out, _ = merge(torch.stack(outs), torch.stack(lses))
    return out
