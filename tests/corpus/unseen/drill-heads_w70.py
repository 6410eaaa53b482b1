import torch


def split_by_view(x, num_heads):
    b, n, _ = x.shape
    return x.view(b, n, num_heads, -1).movedim(2, 1)


def split_by_permute(x, num_heads):
    b, n, f = x.shape
    return x.view(b, n, num_heads, f // num_heads).permute(0, 2, 1, 3)


def split_by_unflatten(x, num_heads):
    return x.unflatten(-1, (-1, num_heads)).movedim(-1, 1)


def merge_by_view(heads):
    b, h, n, d = heads.shape
    out = torch.empty(b, n, h, d, dtype=heads.dtype, device=heads.device)
    out = out.copy_(heads.movedim(1, 2))
    return out.view(b, n, h * d)


def merge_by_reshape(heads):
    return heads.movedim(1, 2).reshape(heads.shape[0], heads.shape[2], -1)


def merge_by_flatten(heads):
    return heads.movedim(1, 2).flatten(-2, -1)
