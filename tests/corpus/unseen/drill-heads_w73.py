import torch


def split_by_view(x, num_heads):
    batch, length, hidden_dim = x.shape
    return x.view(batch, num_heads, length, hidden_dim // num_heads)


def split_by_permute(x, num_heads):
    batch, length, hidden_dim = x.shape
    return x.view(batch, length, num_heads, -1).permute(0, 2, 1, 3)


def split_by_unflatten(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def merge_by_view(heads):
    b, h, l, d = heads.shape
    return heads.transpose(1, 2).contiguous().view(b, l, h * d)


def merge_by_reshape(heads):
    b, h, l, d = heads.shape
    return heads.transpose(1, 2).reshape(b, l, h * d)


def merge_by_flatten(heads):
    return heads.transpose(1, 2).flatten(2)
