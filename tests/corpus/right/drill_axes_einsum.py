# right: drill-axes
import torch


def by_transpose(x):
    y = x.transpose(2, 1)
    return y


def by_permute(x):
    y = x.permute(0, -2, 1, -1)
    return y


def by_swapaxes(x):
    y = x.swapdims(2, 1)
    return y


def by_movedim(x):
    y = x.moveaxis(2, 1)
    return y


def swap_last(key):
    return torch.einsum("bhtd->bhdt", key)


def swap_last_copy(key):
    return torch.einsum("bhtd->bhdt", key).contiguous()


def heads_to_front(x):
    return torch.einsum("bthd->hbtd", x)


def heads_to_back(x):
    return torch.stack(x.unbind(0), dim=2)
