# wrong: drill-expand unsqueeze-wrong-axis line 9
# fair: unsqueeze-wrong-axis 8, 9
import torch


def share_keys(key, heads):
    B, T, D = key.shape
    lonely = key.unsqueeze(2)
    return lonely.expand(B, T, heads, D)


def silence_head(key, heads, head):
    B, T, D = key.shape
    out = key.reshape(B, 1, T, D).repeat(1, heads, 1, 1)
    out[:, head, :, :] = torch.zeros(B, T, D, dtype=key.dtype, device=key.device)
    return out


def repeat_kv(key, repeats):
    B, G, T, D = key.shape
    return key.reshape(B, G, 1, T, D).expand(B, G, repeats, T, D).reshape(B, G * repeats, T, D)


def add_slopes(scores, slopes):
    return scores + slopes.reshape(-1, 1, 1)


def distances(positions):
    return positions.reshape(1, -1) - positions.reshape(-1, 1)
