import torch


def by_operator(weights, values):
    out = weights @ values
    assert out.shape[-1] == values.shape[-1]
    return out


def by_matmul(weights, values):
    out = torch.matmul(weights, values)
    return out


def by_einsum(weights, values):
    out = torch.einsum("bhij,bhjd->bhid", weights, values)
    return out


def by_bmm(weights, values):
    B, H, Tq, Tk = weights.shape
    d = values.shape[3]
    w = weights.reshape(B * H, Tq, Tk)
    v = values.reshape(B * H, Tk, d)
    out = torch.bmm(w, v)
    out = out.reshape(B, H, Tq, d)
    return out


def by_broadcast(weights, values):
    w = weights.unsqueeze(4)  # (B, h, Tq, Tk, 1)
    v = values.unsqueeze(2)  # (B, h, 1, Tk, d)
    out = w * v
    return out.sum(3)
