# wrong: window causal-sees-next line 7
# fair: causal-sees-next 7, 8
import torch


def window_attention(query, key, value, window):
    band = torch.ones(query.shape[-2], query.shape[-2], device=query.device).tril(1).triu(1 - window)
    scores = (query @ key.transpose(-2, -1)).masked_fill(band == 0, -torch.inf)
    return (scores / query.shape[-1] ** 0.5).softmax(-1) @ value
