import torch


def split_by_view(x, num_heads):
    b, n, c = x.size()
    y = x.view(b, n, num_heads, c // num_heads)
    return torch.swapaxes(y, 1, 2)


def split_by_permute(x, num_heads):
    b, n, c = x.size()
    return x.view(b, n, num_heads, -1).permute(0, 2, 1, 3)


def split_by_unflatten(x, num_heads):
    head_dim = x.size(-1) // num_heads
    y = x.unflatten(2, (head_dim, num_heads))
    return torch.movedim(y, 3, 1)


def merge_by_view(heads):
    b, h, n, d = heads.size()
    return torch.swapaxes(heads, 1, 2).contiguous().view(b, n, h * d)


def merge_by_reshape(heads):
    b, h, n, d = heads.size()
    return heads.permute(0, 2, 1, 3).reshape(b, n, h * d)


def merge_by_flatten(heads):
    return torch.movedim(heads, 1, 2).flatten(start_dim=2)
