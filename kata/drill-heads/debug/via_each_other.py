import torch


def split_by_view(x, num_heads):
    b, t, c = x.size()
    return x.view((b, t, num_heads, c // num_heads)).movedim(-2, -3)


def split_by_permute(x, num_heads):
    d = x.size(-1) // num_heads
    return x.view(x.size(0), x.size(1), num_heads, d).permute(dims=[0, 2, 1, 3])


def split_by_unflatten(x, num_heads):
    return x.unflatten(dim=-1, sizes=(num_heads, -1)).swapdims(-3, -2)


def _behind(heads):
    return heads.transpose(-3, -2)


def merge_by_view(heads):
    y = _behind(heads).clone(memory_format=torch.contiguous_format)
    return y.view(*y.shape[:2], -1)


def merge_by_reshape(heads):
    y = _behind(heads)
    return y.reshape(y.shape[:2] + (y.shape[2] * y.shape[3],))


def merge_by_flatten(heads):
    return _behind(heads).flatten(start_dim=-2, end_dim=-1)
