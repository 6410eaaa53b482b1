import torch

by_transpose = lambda x: x.transpose(-2, -3)
by_permute = lambda x: torch.permute(x, (0, 2, 1, 3))
by_swapaxes = lambda x: x.swapdims(1, 2)
by_movedim = lambda x: torch.movedim(x, 1, 2)


def swap_last(key):
    *lead, a, b = range(key.ndim)
    return key.permute(*lead, b, a)


def swap_last_copy(key):
    out = key.new_empty(*key.shape[:-2], key.shape[-1], key.shape[-2])
    return out.copy_(swap_last(key))


def heads_to_front(x):
    return torch.stack(x.unbind(dim=2))


def heads_to_back(x):
    return torch.cat([h.unsqueeze(2) for h in x], dim=2)
