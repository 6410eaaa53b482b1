# wrong: drill-matmul einsum-letter-not-shared line 14
import torch


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return weights.matmul(values)


def by_einsum(weights, values):
    return torch.einsum("bnqk,bhkd->bnqd", weights, values)


def by_bmm(weights, values):
    b, n, q, k = weights.shape
    w = weights.reshape(b * n, q, k)
    v = values.reshape(b * n, k, values.shape[-1])
    return w.bmm(v).reshape(b, n, q, values.shape[-1])


def by_broadcast(weights, values):
    return (weights[..., None] * values[:, :, None, :, :]).sum(dim=-2)
