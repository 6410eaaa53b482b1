# wrong: window scale-missing line 8, window-too-wide line 9
# fair: window-too-wide 9, 10
import torch


def window_attention(query, key, value, window):
    p = torch.arange(query.shape[-2], device=query.device)
    scores = query @ key.mT
    hidden = (p > p[:, None]) | (p < p[:, None] - window)
    scores = scores.masked_fill(hidden, float("-inf"))
    return scores.softmax(-1) @ value
