# Expand and repeat.

import torch


def share_keys(key, heads):
    batch, length, head_dim = key.shape
    # stride 0 along the heads: no copy
    return key[:, None, :, :].expand(batch, heads, length, head_dim)


def silence_head(key, heads, head):
    batch, length, head_dim = key.shape
    # all heads start with the same keys
    out = key[:, None, :, :].repeat(1, heads, 1, 1)
    out[:, head] = 0
    return out


def repeat_kv(key, repeats):
    # 0 0 1 1 2 2
    return torch.repeat_interleave(key, repeats, dim=1)


def add_slopes(scores, slopes):
    # one number for each head, the other axes broadcast
    return scores + slopes[None, :, None, None]


def distances(positions):
    row = positions[:, None]
    column = positions[None, :]
    return column - row
