# wrong: drill-matmul fold-order-differs line 21
# fair: fold-order-differs 21, 22
import torch


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return torch.matmul(weights, values)


def by_einsum(weights, values):
    return torch.einsum("bhqk,bhkd->bhqd", weights, values)


def by_bmm(weights, values):
    B, H, Q, K = weights.shape
    w = weights.reshape(B * H, Q, K)
    v = values.permute(1, 0, 2, 3).reshape(H * B, K, -1)
    out = torch.bmm(w, v)
    return out.view(B, H, Q, -1)


def by_broadcast(weights, values):
    return (weights[..., None] * values[:, :, None]).sum(3)
