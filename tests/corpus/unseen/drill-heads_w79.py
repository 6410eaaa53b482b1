# attn-kata: drill-heads
import torch


def split_by_view(x, num_heads):
    b, n, c = x.size()
    return x.view(b, n, num_heads, c // num_heads).transpose(1, 2)


def split_by_permute(x, num_heads):
    b, n, c = x.size()
    d = c // num_heads
    return x.reshape(b, n, d, num_heads).permute(0, 3, 1, 2)


def split_by_unflatten(x, num_heads):
    return torch.unflatten(x, 2, (num_heads, x.size(2) // num_heads)).transpose(1, 2)


def merge_by_view(heads):
    b, h, n, d = heads.size()
    return heads.transpose(1, 2).contiguous().view(b, n, h * d)


def merge_by_reshape(heads):
    b, h, n, d = heads.size()
    return heads.transpose(1, 2).reshape(b, n, h * d)


def merge_by_flatten(heads):
    return torch.flatten(heads.transpose(1, 2), 2)
