import torch


def _to3d(t):
    """(B, nh, m, n) -> (nh * B, m, n)"""
    return t.transpose(0, 1).reshape(-1, t.size(-2), t.size(-1))


def _to4d(t, B, nh):
    """back to (B, nh, m, n)"""
    return t.view(B, nh, t.size(-2), t.size(-1))


def by_operator(weights, values):
    y = weights @ values # (B, nh, T, S) x (B, nh, S, hs) -> (B, nh, T, hs)
    return y


def by_matmul(weights, values):
    y = torch.matmul(weights, values)
    return y


def by_einsum(weights, values):
    y = torch.einsum('bnts,bnsh->bnth', weights, values)
    return y


def by_bmm(weights, values):
    B, nh = weights.size(0), weights.size(1)
    y = torch.bmm(_to3d(weights), _to3d(values))
    return _to4d(y, B, nh)


def by_broadcast(weights, values):
    y = weights.unsqueeze(-1) * values.unsqueeze(-3) # (B, nh, T, S, hs)
    return y.sum(-2)
