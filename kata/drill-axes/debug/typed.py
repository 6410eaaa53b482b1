from torch import Tensor, empty


def by_transpose(x: Tensor) -> Tensor:
    return x.transpose(dim0=1, dim1=2)


def by_permute(x: Tensor) -> Tensor:
    order: list[int] = list(range(x.dim()))
    order[1], order[2] = order[2], order[1]
    return x.permute(order)


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapaxes(axis0=2, axis1=1)


def by_movedim(x: Tensor) -> Tensor:
    return x.movedim(source=2, destination=1)


def swap_last(key: Tensor) -> Tensor:
    return key.permute(0, 1, 3, 2)


def swap_last_copy(key: Tensor) -> Tensor:
    b, h, t, d = key.shape
    out = empty(b, h, d, t, dtype=key.dtype, device=key.device)
    out.copy_(key.transpose(2, 3))
    return out


def heads_to_front(x: Tensor) -> Tensor:
    return x.transpose(1, 2).transpose(0, 1)


def heads_to_back(x: Tensor) -> Tensor:
    b, t = x.shape[1:3]
    out = empty(b, t, x.shape[0], x.shape[3], dtype=x.dtype, device=x.device)
    out[:] = x.transpose(0, 1).transpose(1, 2)
    return out
