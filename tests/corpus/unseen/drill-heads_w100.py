import torch


def _dims(t):
    """batch, positions, heads, width of a head"""
    b, n, h, d = t.size()
    return b, n, h, d


def split_by_view(x, num_heads):
    return x.view(x.size(0), x.size(1), num_heads, -1).transpose(1, 2)


def split_by_permute(x, num_heads):
    return x.reshape(*x.shape[:2], num_heads, -1).permute(0, 2, 1, 3)


def split_by_unflatten(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def merge_by_view(heads):
    b, n, h, d = _dims(heads)
    y = heads.transpose(1, 2).contiguous()
    return y.view(b, n, h * d)


def merge_by_reshape(heads):
    y = heads.transpose(1, 2)
    return y.reshape(*y.shape[:2], -1)


def merge_by_flatten(heads):
    return heads.transpose(1, 2).flatten(start_dim=2)
