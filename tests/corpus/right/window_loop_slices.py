# right: window
import torch


def window_attention(query, key, value, window):
    """One query after another, with the keys that it sees."""
    batch, heads, length, dim = query.shape
    outputs = []
    for i in range(length):
        start = max(0, i - window + 1)
        k = key[:, :, start : i + 1]
        v = value[:, :, start : i + 1]
        q = query[:, :, i : i + 1]
        scores = (q @ k.transpose(2, 3)) / dim**0.5
        outputs.append(scores.softmax(-1) @ v)
    return torch.cat(outputs, dim=2)
