import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    return torch.transpose(x, dim0=-2, dim1=-3)


def by_permute(x: Tensor) -> Tensor:
    order = [0, 1, 2, 3]
    order[1], order[2] = order[2], order[1]
    return torch.permute(x, order)


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapdims(2, 1)


def by_movedim(x: Tensor) -> Tensor:
    # the length goes behind the heads
    return torch.moveaxis(x, (1,), (2,))


def swap_last(key: Tensor) -> Tensor:
    return torch.einsum("...ij->...ji", key)


def swap_last_copy(key: Tensor) -> Tensor:
    # an unbound row per feature, laid one behind another
    return torch.stack(key.unbind(dim=-1), dim=-2)


def heads_to_front(x: Tensor) -> Tensor:
    b, l, h, d = x.size()
    sb, sl, sh, sd = x.stride()
    return x.as_strided((h, b, l, d), (sh, sb, sl, sd))


def heads_to_back(x: Tensor) -> Tensor:
    heads, batch, length, width = x.shape
    out = x.new_empty(batch, length, heads, width)
    return out.copy_(x.permute(1, 2, 0, 3))
