import torch


def split_by_view(x, num_heads):
    n, t, c = x.shape
    return torch.transpose(x.view((n, t, num_heads, c // num_heads)), 1, 2)


def split_by_permute(x, num_heads):
    n, t, c = x.shape
    cut = x.reshape(n, t, num_heads, -1)
    return cut.permute(0, 2, 1, 3)


def split_by_unflatten(x, num_heads):
    return x.unflatten(dim=-1, sizes=(num_heads, -1)).permute(0, 2, 1, 3)


def merge_by_view(heads):
    n, h, t, d = heads.shape
    packed = heads.permute(2, 0, 1, 3).contiguous()
    return packed.view(n, t, h * d)


def merge_by_reshape(heads):
    n, h, t, d = heads.shape
    return heads.moveaxis(1, 2).reshape(n, t, h * d)


def merge_by_flatten(heads):
    return heads.moveaxis(1, 2).flatten(2)
