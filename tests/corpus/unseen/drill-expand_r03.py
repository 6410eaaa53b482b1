import torch


def share_keys(key, heads):
    return key[:, None].expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    out = key.unsqueeze(1).repeat(1, heads, 1, 1)
    out[:, head] = 0
    return out


def repeat_kv(key, repeats):
    return key.repeat_interleave(repeats, dim=1)


def add_slopes(scores, slopes):
    return scores + slopes[:, None, None]


def distances(positions):
    return positions[None, :] - positions[:, None]
