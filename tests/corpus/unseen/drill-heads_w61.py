from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    B, T, C = x.shape
    x = x.view(B, T, num_heads, C // num_heads)
    return x.transpose(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    B, T, C = x.shape
    x = x.reshape(B, T, num_heads, C // num_heads)
    return x.permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    C = x.shape[-1]
    x = x.unflatten(2, (num_heads, C // num_heads))
    return x.transpose(1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    B, H, T, D = heads.shape
    y = heads.transpose(1, 2).contiguous()  # B T H D
    return y.view(B, T, H * D)


def merge_by_reshape(heads: Tensor) -> Tensor:
    B, H, T, D = heads.shape
    y = heads.transpose(1, 2)  # B T H D
    return y.reshape(B, T, H * D)


def merge_by_flatten(heads: Tensor) -> Tensor:
    # the last two axes become the width
    y = heads.movedim(1, -1)
    return y.flatten(start_dim=2)
