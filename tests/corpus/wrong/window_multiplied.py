# wrong: window mask-fill-zero line 9
import torch


def window_attention(query, key, value, window):
    n = query.shape[-2]
    band = torch.ones(n, n, device=query.device, dtype=query.dtype).tril().triu(1 - window)
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return (scores * band).softmax(-1) @ value
