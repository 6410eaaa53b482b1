# wrong: drill-matmul axes-wrong-order line 14
from torch import Tensor, bmm, einsum, matmul


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return matmul(weights, values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return einsum("bhij,bhjd->bihd", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    b, h, i, j = weights.size()
    return bmm(weights.view(-1, i, j), values.view(-1, j, values.size(-1))).view(b, h, i, -1)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    return weights.unsqueeze(-1).mul(values.unsqueeze(2)).sum(-2)
