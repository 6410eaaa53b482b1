import torch


def _cut(x, num_heads):
    head_dim = x.shape[-1] // num_heads
    return x.unflatten(-1, (head_dim, num_heads))


def split_by_view(x, num_heads):
    b, l, w = x.size()
    return x.view(b, l, num_heads, w // num_heads).transpose(1, 2)


def split_by_permute(x, num_heads):
    b, l, w = x.size()
    return x.reshape(b, l, num_heads, w // num_heads).permute(0, 2, 1, 3)


def split_by_unflatten(x, num_heads):
    return _cut(x, num_heads).permute(0, 3, 1, 2)


def merge_by_view(heads):
    b, h, l, d = heads.size()
    return heads.transpose(1, 2).contiguous().view(b, l, h * d)


def merge_by_reshape(heads):
    b, h, l, d = heads.size()
    return heads.transpose(1, 2).reshape(b, l, h * d)


def merge_by_flatten(heads):
    return heads.transpose(1, 2).flatten(2)
