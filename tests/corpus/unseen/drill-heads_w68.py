import torch


def split_by_view(x, num_heads):
    b, t, c = x.shape
    x = x.view(b, t, num_heads, c // num_heads)
    x = x.transpose(1, 2)
    return x


def split_by_permute(x, num_heads):
    b, t, c = x.shape
    x = x.reshape(b, t, num_heads, c // num_heads)
    x = x.permute(0, 2, 1, 3)
    return x


def split_by_unflatten(x, num_heads):
    b, t, c = x.shape
    x = x.unflatten(2, (num_heads, c // num_heads))
    x = x.transpose(1, 2)
    return x


def merge_by_view(heads):
    b, h, t, d = heads.shape
    heads = heads.transpose(1, 2).contiguous()
    return heads.view(b, t, h * d)


def merge_by_reshape(heads):
    b, t, h, d = heads.shape
    heads = heads.transpose(1, 2)
    return heads.reshape(b, t, h * d)


def merge_by_flatten(heads):
    heads = heads.transpose(1, 2)
    return heads.flatten(2, 3)
