import torch


def split_by_view(x, num_heads):
    B, T, C = x.size() # batch, sequence length, embedding
    return x.view(B, T, num_heads, C // num_heads).transpose(1, 2) # (B, nh, T, hs)


def split_by_permute(x, num_heads):
    B, T, C = x.size()
    return x.view(B, T, num_heads, C // num_heads).permute(0, 2, 1, 3)


def split_by_unflatten(x, num_heads):
    hs = x.size(-1) // num_heads
    return x.unflatten(2, (num_heads, hs)).transpose(1, 2)


def merge_by_view(heads):
    B, nh, T, hs = heads.size()
    return heads.transpose(1, 2).contiguous().view(B, T, nh * hs) # side by side again


def merge_by_reshape(heads):
    B, nh, T, hs = heads.size()
    return heads.transpose(1, 2).reshape(B, T, nh * hs)


def merge_by_flatten(heads):
    return heads.transpose(1, 2).flatten(start_dim=2)
