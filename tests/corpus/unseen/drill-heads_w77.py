import torch


def split_by_view(x, num_heads):
    b, s, d = x.shape
    return x.view(b, s, num_heads, d // num_heads).transpose(1, 2)

def split_by_permute(x, num_heads):
    b, s, d = x.shape
    return x.view(b, s, num_heads, d // num_heads).permute(0, 2, 1, 3)

def split_by_unflatten(x, num_heads):
    return x.unflatten(-1, (num_heads, x.shape[-1] // num_heads)).transpose(1, 2)

def merge_by_view(heads):
    b, n, s, hd = heads.shape
    return heads.transpose(1, 2).view(b, s, n * hd)

def merge_by_reshape(heads):
    b, n, s, hd = heads.shape
    return heads.transpose(1, 2).reshape(b, s, n * hd)

def merge_by_flatten(heads):
    return heads.transpose(1, 2).flatten(-2)
