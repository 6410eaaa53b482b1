import torch


def share_keys(key, heads):
    b, l, d = key.shape
    return key.view(b, 1, l, d).expand(b, heads, l, d)


def silence_head(key, heads, head):
    b, l, d = key.shape
    # reshape after expand makes the copy
    out = share_keys(key, heads).reshape(b, heads, l, d)
    out[:, head].zero_()
    return out


def repeat_kv(key, repeats):
    b, h, l, d = key.shape
    return key[:, :, None].expand(b, h, repeats, l, d).reshape(b, h * repeats, l, d)


def add_slopes(scores, slopes):
    return scores + slopes.view(1, -1, 1, 1)


def distances(positions):
    return positions.unsqueeze(0) - positions.unsqueeze(1)
