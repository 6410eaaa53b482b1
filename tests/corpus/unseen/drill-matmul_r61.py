import torch
from torch import Tensor

# b sample, h head, q query, k key, d feature


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    # (A V) = (V' A')' : just to show the pupils that it is the same
    turned = values.mT @ weights.mT
    return turned.mT


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return torch.Tensor.matmul(weights, values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    b, h, q, k, d = range(5)
    return torch.einsum(weights, [b, h, q, k], values, [b, h, k, d], [b, h, q, d])


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    lead = weights.shape[:2]
    flat = torch.bmm(weights.flatten(0, 1), values.flatten(0, 1))
    return flat.unflatten(0, lead)


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    left = weights[:, :, :, None, :]           # b h q 1 k
    right = values.transpose(-1, -2)[:, :, None]  # b h 1 d k
    return torch.mul(left, right).sum(dim=-1)


if __name__ == "__main__":
    A = torch.tensor([[[[0.9, 0.1]]]])
    V = torch.eye(2)[None, None]
    for f in (by_operator, by_matmul, by_einsum, by_bmm, by_broadcast):
        print(f.__name__, f(A, V).flatten().tolist())
