# right: drill-axes
import torch


def with_transpose(t):
    return t.transpose(1, 2)


def with_permute(t):
    axes = [0, 1, 2, 3]
    axes.insert(1, axes.pop(2))
    return t.permute(tuple(axes))


def with_swapaxes(t):
    return t.swapaxes(-3, -2)


def with_movedim(t):
    return t.movedim(-2, -3)


def swap_last_two(t):
    return t.permute(*range(t.ndim - 2), -1, -2)


def swap_last_two_copy(t):
    rows = [t[..., i] for i in range(t.size(-1))]
    return torch.stack(rows, dim=-2)


def heads_first(t):
    return t.permute(2, 0, 1, 3)


def heads_back(t):
    return torch.cat([h.unsqueeze(2) for h in t], dim=2)
