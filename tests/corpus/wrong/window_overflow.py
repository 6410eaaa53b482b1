# wrong: window softmax-unstable line 8
import torch


def window_attention(query, key, value, window):
    n = query.shape[-2]
    band = torch.ones(n, n, device=query.device, dtype=query.dtype).tril().triu(1 - window)
    powers = torch.exp(query @ key.mT / query.shape[-1] ** 0.5) * band
    return powers @ value / powers.sum(-1, keepdim=True)
