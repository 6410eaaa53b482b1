import torch


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return weights.matmul(values)


def by_einsum(weights, values):
    # b: batch, h: head, q: query position, k: key position, d: feature
    return torch.einsum("bhqk,bhkd->bhqv", weights, values)


def by_bmm(weights, values):
    b, h, tq, tk = weights.shape
    d = values.shape[3]
    flat = torch.bmm(weights.contiguous().view(b * h, tq, tk), values.contiguous().view(b * h, tk, d))
    return flat.view(b, h, tq, d)


def by_broadcast(weights, values):
    w = weights.unsqueeze(4)      # b h q k 1
    v = values.unsqueeze(2)       # b h 1 k d
    return torch.sum(w * v, dim=3)
