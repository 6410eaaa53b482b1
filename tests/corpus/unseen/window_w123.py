import math

import torch


def stable_softmax(z):
    z = z - z.amax(dim=-1, keepdim=True)
    e = torch.exp(z)
    return e / (1 + e.sum(dim=-1, keepdim=True))


def local_mask(n, window, device):
    # mask[i, j] = True  <=>  i may look at j
    i = torch.arange(n, device=device)[:, None]
    j = torch.arange(n, device=device)[None, :]
    return (j <= i) & (j > i - window)


def window_attention(query, key, value, window):
    logits = query.matmul(key.transpose(-2, -1)) / math.sqrt(query.shape[-1])
    mask = local_mask(query.shape[-2], window, query.device)
    logits = torch.where(mask, logits, torch.finfo(logits.dtype).min)
    return stable_softmax(logits).matmul(value)
