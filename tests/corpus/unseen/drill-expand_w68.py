import numpy as np
import torch


def share_keys(key, heads):
    B, L, D = key.shape
    return torch.broadcast_to(key[:, np.newaxis], (B, heads, L, D))


def silence_head(key, heads, head):
    out = torch.tile(key[:, np.newaxis], (1, heads, 1, 1))
    out[:, head] = 0
    return out


def repeat_kv(key, repeats):
    kv = key.shape[1]
    h = torch.arange(kv * repeats, device=key.device)
    src = h // kv
    return torch.index_select(key, 1, src)


def add_slopes(scores, slopes):
    return scores + slopes[None, :, None, None]


def distances(positions):
    return torch.stack([positions - p for p in positions])
