# wrong: window window-from-start line 10
# fair: window-from-start 9, 10, 11
import torch


def window_attention(query, key, value, window):
    """Cut the keys as a cache would."""
    length, dim = query.shape[-2:]
    first = max(0, length - window)
    key, value = key[:, :, first:], value[:, :, first:]
    scores = query @ key.transpose(-2, -1) / dim**0.5
    return torch.softmax(scores, dim=-1) @ value
