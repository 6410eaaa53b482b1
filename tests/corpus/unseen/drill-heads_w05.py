import torch


def split_by_view(x, num_heads):
    B, T, C = x.size()
    return x.view(B, T, C // num_heads, num_heads).movedim(3, 1)


def split_by_permute(x, num_heads):
    B, T, C = x.size()
    return x.view(B, T, num_heads, C // num_heads).permute(0, 2, 1, 3)


def split_by_unflatten(x, num_heads):
    return x.unflatten(-1, (num_heads, x.size(-1) // num_heads)).transpose(2, 1)


def merge_by_view(heads):
    B, H, T, D = heads.size()
    return heads.permute(0, 2, 1, 3).contiguous().view(B, T, H * D)


def merge_by_reshape(heads):
    B, H, T, D = heads.size()
    return heads.permute(0, 2, 1, 3).reshape(B, T, H * D)


def merge_by_flatten(heads):
    return heads.permute(0, 2, 1, 3).flatten(2, 3)
