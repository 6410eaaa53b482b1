# wrong: drill-heads heads-width-swapped line 15
# fair: heads-width-swapped 15, 16
import torch


def split_by_view(x, num_heads):
    B, T, C = x.shape
    x = x.view(B, T, num_heads, C // num_heads)
    return x.transpose(1, 2)


def split_by_permute(x, num_heads):
    B, T, C = x.shape
    head_dim = num_heads
    x = x.reshape(B, T, -1, head_dim)
    x = x.permute(0, 2, 1, 3)
    return x


def split_by_unflatten(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def merge_by_view(heads):
    B, H, T, D = heads.shape
    return heads.transpose(1, 2).contiguous().view(B, T, H * D)


def merge_by_reshape(heads):
    B, H, T, D = heads.shape
    return heads.transpose(1, 2).reshape(B, T, H * D)


def merge_by_flatten(heads):
    return heads.transpose(1, 2).flatten(2)
