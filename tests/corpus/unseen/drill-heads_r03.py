import torch


def split_by_view(x, num_heads):
    b, l, d = x.shape
    return x.view(b, l, num_heads, d // num_heads).transpose(1, 2)


def split_by_permute(x, num_heads):
    b, l, d = x.shape
    return x.reshape(b, l, num_heads, d // num_heads).permute(0, 2, 1, 3)


def split_by_unflatten(x, num_heads):
    return x.unflatten(2, (num_heads, -1)).swapaxes(1, 2)


def merge_by_view(heads):
    b, h, l, hd = heads.shape
    return heads.transpose(1, 2).contiguous().view(b, l, h * hd)


def merge_by_reshape(heads):
    b, h, l, hd = heads.shape
    return heads.transpose(1, 2).reshape(b, l, h * hd)


def merge_by_flatten(heads):
    return heads.transpose(1, 2).flatten(start_dim=2)
