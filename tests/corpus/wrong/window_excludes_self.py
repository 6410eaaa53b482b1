# wrong: window causal-excludes-self line 9
# fair: causal-excludes-self 9, 10
import torch


def window_attention(query, key, value, window):
    n = query.shape[-2]
    i, j = torch.arange(n, device=query.device)[:, None], torch.arange(n, device=query.device)
    seen = (j < i) & (j >= i - window)
    scores = (query @ key.mT / query.shape[-1] ** 0.5).masked_fill(seen == 0, -1e4)
    return scores.softmax(-1) @ value
