import torch
from torch import Tensor
from functools import partial


def by_transpose(x: Tensor) -> Tensor:
    return torch.transpose(x, -2, -3)


def by_permute(x: Tensor) -> Tensor:
    order = list(range(x.dim()))
    order[-3], order[-2] = order[-2], order[-3]
    return x.permute(*order)


by_swapaxes = partial(torch.swapdims, dim0=1, dim1=2)
by_movedim = partial(torch.moveaxis, source=-2, destination=-3)


def swap_last(key: Tensor) -> Tensor:
    b, h, l, d = key.stride()
    B, H, L, D = key.shape
    return key.as_strided((B, H, D, L), (b, h, d, l), key.storage_offset())


def swap_last_copy(key: Tensor) -> Tensor:
    fresh = key.new_empty(*key.shape[:-2], key.shape[-1], key.shape[-2])
    return fresh.copy_(key.mT) if not key.requires_grad else torch.clone(key.mT, memory_format=torch.contiguous_format)


def heads_to_front(x: Tensor) -> Tensor:
    return torch.einsum("blhd->hbld", x)


def heads_to_back(x: Tensor) -> Tensor:
    return torch.stack(x.unbind(0), dim=-2)
