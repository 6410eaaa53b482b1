# wrong: drill-heads heads-view-without-transpose line 8
import torch


def split_by_view(x, num_heads):
    B, T, C = x.shape
    D = C // num_heads
    return x.view(B, num_heads, T, D)


def split_by_permute(x, num_heads):
    B, T, C = x.shape
    return x.reshape(B, T, num_heads, C // num_heads).permute(0, 2, 1, 3)


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
