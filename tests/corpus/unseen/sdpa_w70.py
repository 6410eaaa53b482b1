import math
import torch


def attention(query, key, value, mask=None, causal=False):
    q, k, v = query, key, value
    b, h, tk, d = v.shape
    tq = q.size(2)
    s = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(d)
    if mask is not None:
        s = s.masked_fill(mask == 0, float("-inf"))
    if causal:
        c = torch.ones(tq, tk, device=q.device).tril(tk - tq)
        s = s.masked_fill(c == 0, float("-inf"))
    p = torch.softmax(s, dim=-1)
    return torch.matmul(p, v)
