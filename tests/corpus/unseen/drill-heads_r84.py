from functools import partial

from einops import rearrange

to_heads = partial(rearrange, pattern = 'b n (h d) -> b h n d')
from_heads = partial(rearrange, pattern = 'b h n d -> b n (h d)')


def split_by_view(x, num_heads):
    return x.view(*x.shape[:-1], num_heads, -1).swapaxes(-3, -2)


def split_by_permute(x, num_heads):
    return to_heads(x, h = num_heads)


def split_by_unflatten(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).movedim(-2, 1)


def merge_by_view(heads):
    moved = heads.movedim(1, 2).contiguous()
    return moved.view(*moved.shape[:2], -1)


def merge_by_reshape(heads):
    return from_heads(heads)


def merge_by_flatten(heads):
    return heads.permute(0, 2, 1, 3).flatten(-2, -1)
