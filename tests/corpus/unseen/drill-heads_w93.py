import torch


def split_by_view(x, num_heads):
    b, t, c = x.shape
    return x.view(b, t, num_heads, c // num_heads).transpose(1, 2)


def split_by_permute(x, num_heads):
    b, t, c = x.shape
    return x.reshape(b, t, num_heads, c // num_heads).permute(0, 2, 1, 3)


def split_by_unflatten(x, num_heads):
    return x.unflatten(2, (num_heads, -1)).transpose(1, 2)


def merge_by_view(heads):
    b, h, t, d = heads.shape
    return heads.transpose(1, 2).contiguous().view(b, t, h * d)


def merge_by_reshape(heads):
    b, t, h, d = heads.shape
    return heads.transpose(1, 2).reshape(b, t, h * d)


def merge_by_flatten(heads):
    return heads.transpose(1, 2).flatten(2)
