import torch


def fold(x):
    b, h, r, c = x.size()
    return x.contiguous().view(b * h, r, c)


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    return torch.matmul(weights, values)


def by_einsum(weights, values):
    return torch.einsum("bnqk,bnkd->bnqd", [weights, values])


def by_bmm(weights, values):
    b, h = weights.size(0), weights.size(1)
    out = torch.matmul(fold(weights), fold(values))
    return out.view(b, h, out.size(1), out.size(2))


def by_broadcast(weights, values):
    w = weights.unsqueeze(4)
    v = values.unsqueeze(2)
    return (w * v).sum(dim=3)
