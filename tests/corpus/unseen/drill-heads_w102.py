import torch


def split_by_view(x, num_heads):
    B, T, C = x.size()  # batch size, sequence length, embedding dimensionality (n_embd)
    x = x.view(B, T, num_heads, C // num_heads)
    return x.transpose(1, 2)  # (B, nh, T, hs)


def split_by_permute(x, num_heads):
    B, T, C = x.size()
    x = torch.stack(x.split(C // num_heads, dim=2), dim=2)
    return x.permute(0, 2, 1, 3)  # (B, nh, T, hs)


def split_by_unflatten(x, num_heads):
    return x.unflatten(2, (num_heads, x.size(2) // num_heads)).transpose(1, 2)


def merge_by_view(heads):
    B, nh, T, hs = heads.size()
    return heads.transpose(1, 2).contiguous().view(B, T, nh * hs)


def merge_by_reshape(heads):
    B, nh, T, hs = heads.size()
    return heads.transpose(1, 2).reshape(B, T, nh * hs)


def merge_by_flatten(heads):
    return heads.transpose(1, 2).flatten(2, 3)
