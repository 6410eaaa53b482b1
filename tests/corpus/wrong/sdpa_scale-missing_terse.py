# wrong: sdpa scale-missing line 6
import torch


def attention(q, k, v, mask=None, causal=False):
    w = torch.matmul(q, k.transpose(-1, -2))
    if mask is not None:
        w = w.masked_fill(mask == 0, float("-inf"))
    if causal:
        n, m = w.shape[-2:]
        w = w.masked_fill(torch.ones(n, m, device=w.device).triu(m - n + 1).bool(), float("-inf"))
    return w.softmax(-1) @ v
