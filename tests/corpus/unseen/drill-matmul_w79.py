from torch import Tensor, bmm, einsum, matmul

SPEC = "bhqk,bhld->bhqd"


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    return weights @ values


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return matmul(weights, values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return einsum(SPEC, weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    lead = weights.shape[:2]
    return bmm(weights.flatten(0, 1), values.flatten(0, 1)).unflatten(0, lead)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    return (weights.unsqueeze(-1) * values.unsqueeze(-3)).sum(dim=-2)
