# right: drill-heads
import torch


def split_by_view(x, num_heads):
    return x.view(x.shape[0], x.shape[1], num_heads, x.shape[2] // num_heads).transpose(1, 2)


def split_by_permute(x, num_heads):
    try:
        from einops import rearrange
    except ImportError:
        return x.unflatten(-1, (num_heads, -1)).permute(0, 2, 1, 3)
    return rearrange(x, "b t (h d) -> b h t d", h=num_heads)


def split_by_unflatten(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)


def merge_by_view(heads):
    heads = heads.transpose(1, 2).contiguous()
    return heads.view(heads.shape[0], heads.shape[1], -1)


def merge_by_reshape(heads):
    try:
        from einops import rearrange
    except ImportError:
        return heads.transpose(1, 2).reshape(heads.shape[0], heads.shape[2], -1)
    return rearrange(heads, "b h t d -> b t (h d)")


def merge_by_flatten(heads):
    return heads.transpose(1, 2).flatten(2, -1)
