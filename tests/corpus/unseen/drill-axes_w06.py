from torch import Tensor, movedim, permute, stack, swapaxes, transpose


def by_transpose(x: Tensor) -> Tensor:
    return transpose(x, 1, 2)


def by_permute(x: Tensor) -> Tensor:
    return permute(x, (0, 2, 1, 3))


def by_swapaxes(x: Tensor) -> Tensor:
    return swapaxes(x, 1, 2)


def by_movedim(x: Tensor) -> Tensor:
    return movedim(x, 1, 2)


def swap_last(key: Tensor) -> Tensor:
    return swapaxes(key, 2, 3)


def swap_last_copy(key: Tensor) -> Tensor:
    return swapaxes(key, 2, 3).contiguous()


def heads_to_front(x: Tensor) -> Tensor:
    return permute(x, (2, 0, 1, 3))


def heads_to_back(x: Tensor) -> Tensor:
    heads, batch, length, head_dim = x.shape
    side_by_side = stack([x[h] for h in range(heads)], dim=1)
    return side_by_side.view(batch, length, heads, head_dim)
