import torch


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return torch.matmul(weights, values)


def by_einsum(weights, values):
    return torch.einsum('bhij,bhjd->bhid', weights, values)


def by_bmm(weights, values):
    B, H, T, S = weights.shape
    # bmm wants 3 axes
    w = weights.permute(1, 0, 2, 3).reshape(H * B, T, S)
    v = values.permute(1, 0, 2, 3).reshape(H * B, S, -1)
    out = torch.bmm(w, v)
    return out.view(B, H, T, -1)


def by_broadcast(weights, values):
    w = weights.unsqueeze(4)
    v = values.unsqueeze(2)
    return (w * v).sum(dim=3)
