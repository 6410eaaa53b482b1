from torch import Tensor, bmm, einsum, matmul


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return matmul(weights, values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return einsum("bhts,bhsd->bhtd", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    batch, heads, queries, keys = weights.shape
    product = bmm(
        weights.contiguous().view(-1, queries, keys),
        values.contiguous().view(batch * heads, keys, -1),
    )
    return product.view(batch, heads, queries, -1)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    product = weights[..., None] * values[:, :, :, None, :]
    return product.sum(dim=3)
