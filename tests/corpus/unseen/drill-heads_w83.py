import torch


def split_by_view(x, num_heads):
    return x.view(*x.shape[:2], num_heads, -1).transpose(1, 2)


def split_by_permute(x, num_heads):
    return x.unflatten(2, (num_heads, -1)).permute(0, 2, 1, 3)


def split_by_unflatten(x, num_heads):
    return x.unflatten(2, (num_heads, -1)).movedim(2, 1)


def merge_by_view(heads):
    return heads.transpose(1, 2).contiguous().view(heads.shape[0], heads.shape[2], -1)


def merge_by_reshape(heads):
    return heads.permute(0, 2, 3, 1).reshape(heads.shape[0], heads.shape[2], -1)


def merge_by_flatten(heads):
    return heads.movedim(1, 2).flatten(2)
