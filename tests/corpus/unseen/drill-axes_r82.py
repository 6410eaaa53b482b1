from torch import Tensor, einsum


def by_transpose(x: Tensor) -> Tensor:
    return x.transpose(dim0=2, dim1=1)


def by_permute(x: Tensor) -> Tensor:
    order = [*range(x.ndim)]
    order[1], order[2] = order[2], order[1]
    return x.permute(order)


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapdims(1, 2)


def by_movedim(x: Tensor) -> Tensor:
    return x.moveaxis(1, 2)


def swap_last(key: Tensor) -> Tensor:
    return key.mT


def swap_last_copy(key: Tensor) -> Tensor:
    b, h, n, d = key.shape
    out = key.new_empty(b, h, d, n)
    out.copy_(key.mT)
    return out


def heads_to_front(x: Tensor) -> Tensor:
    return einsum('bnhd->hbnd', x)


def heads_to_back(x: Tensor) -> Tensor:
    return einsum('hbnd->bnhd', x).contiguous()
