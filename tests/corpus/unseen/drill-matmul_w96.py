import torch


def by_operator(weights, values):
    return (values.mT @ weights.mT).mT


def by_matmul(weights, values):
    # (W V)ᵀ = Vᵀ Wᵀ
    b, h, q, _ = weights.size()
    transposed = torch.matmul(values.transpose(2, 3), weights.transpose(2, 3))
    return transposed.reshape(b, h, q, -1)


def by_einsum(weights, values):
    return torch.einsum(values, [0, 1, 3, 4], weights, [0, 1, 2, 3], [0, 1, 2, 4])


def by_bmm(weights, values):
    w, v = weights.flatten(0, 1), values.flatten(0, 1)
    return torch.bmm(w, v).unflatten(0, weights.shape[:2])


def by_broadcast(weights, values):
    return (weights[:, :, :, None, :] * values.mT[:, :, None, :, :]).sum(-1)
