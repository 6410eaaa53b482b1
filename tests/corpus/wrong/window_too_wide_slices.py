# wrong: window window-too-wide line 9
# fair: window-too-wide 9, 10, 11, 12
import torch


def window_attention(query, key, value, window):
    out = torch.empty_like(query)
    for i in range(query.shape[2]):
        lo = max(0, i - window)
        k, v = key[:, :, lo : i + 1], value[:, :, lo : i + 1]
        s = (query[:, :, i : i + 1] @ k.mT) / query.shape[-1] ** 0.5
        out[:, :, i : i + 1] = s.softmax(-1) @ v
    return out
