import torch

swap = lambda t: t.permute(0, 2, 1, 3)


def split_by_view(x, num_heads):
    return x.view(x.shape[:-1] + (num_heads, x.shape[-1] // num_heads)).swapdims(1, 2)


def split_by_permute(x, num_heads):
    # one chunk of the width for each head
    return swap(torch.stack(x.chunk(num_heads, dim=-1), dim=-2))


def split_by_unflatten(x, num_heads):
    return swap(torch.unflatten(x, -1, (num_heads, x.shape[-1] // num_heads)))


def merge_by_view(heads):
    h = swap(heads).contiguous()
    return h.view(h.shape[:2] + (-1,))


def merge_by_reshape(heads):
    return swap(heads).reshape(heads.shape[0], heads.shape[2], -1)


def merge_by_flatten(heads):
    return torch.flatten(swap(heads), 2, 3)
