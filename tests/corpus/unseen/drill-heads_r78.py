# heads are counted from the back, so any number of batch axes in front would do as well
import torch

to_front = lambda t: torch.movedim(t, -2, -3)  # noqa: E731   (..., length, heads, d) -> (..., heads, length, d)
to_back = lambda t: torch.movedim(t, -3, -2)  # noqa: E731


def split_by_view(x, num_heads):
    return to_front(x.view(*x.shape[:-1], num_heads, -1))


def split_by_permute(x, num_heads):
    *front, length, width = x.shape
    axes = list(range(len(front))) + [len(front) + 1, len(front), len(front) + 2]
    return x.reshape(*front, length, num_heads, width // num_heads).permute(*axes)


def split_by_unflatten(x, num_heads):
    return to_front(x.unflatten(-1, (num_heads, -1)))


def merge_by_view(heads):
    moved = to_back(heads).contiguous()
    return moved.view(moved.shape[:-2] + (moved.shape[-2] * moved.shape[-1],))


def merge_by_reshape(heads):
    moved = to_back(heads)
    return moved.reshape([*moved.shape[:-2], -1])


def merge_by_flatten(heads):
    return to_back(heads).flatten(-2)
