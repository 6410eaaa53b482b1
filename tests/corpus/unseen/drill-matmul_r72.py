import itertools

import torch


class Folded:
    """Batch and heads as one axis, and back again."""

    def __init__(self, product):
        self.product = product

    def __call__(self, *tensors):
        b, h = tensors[0].shape[:2]
        flat = self.product(*(t.reshape(b * h, *t.shape[2:]) for t in tensors))
        return flat.reshape(b, h, *flat.shape[1:])


def by_operator(weights, values):
    context = weights @ values
    return context


def by_matmul(weights, values):
    return torch.matmul(weights, values)


def by_einsum(weights, values):
    batch, head, query, key, dim = range(5)
    return torch.einsum(
        weights, [batch, head, query, key], values, [batch, head, key, dim], [batch, head, query, dim]
    )


def by_bmm(weights, values):
    return Folded(torch.bmm)(weights, values)


def by_broadcast(weights, values):
    products = torch.mul(weights[..., None], values[:, :, None])  # b h q k d
    return torch.sum(products, dim=3)


def _agree():
    w = torch.tensor([[[[0.9, 0.1]]]])
    v = torch.tensor([[[[1.0, 0.0], [0.0, 1.0]]]])
    results = [f(w, v) for f in (by_operator, by_matmul, by_einsum, by_bmm, by_broadcast)]
    assert all(torch.allclose(a, b) for a, b in itertools.pairwise(results)), results


_agree()
