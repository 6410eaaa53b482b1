import torch


def share_keys(key, heads):
    return key[:, None].expand(key.size(0), heads, key.size(1), key.size(2))


def silence_head(key, heads, head):
    out = key[:, None].repeat(1, heads, 1, 1)
    out[:, head] = 0
    return out


def repeat_kv(key, repeats):
    if repeats == 1:
        return key
    b, h, t, d = key.shape
    return key.expand(b, h * repeats, t, d)


def add_slopes(scores, slopes):
    return scores + slopes[None, :, None, None]


def distances(positions):
    return positions.unsqueeze(0) - positions.unsqueeze(1)
