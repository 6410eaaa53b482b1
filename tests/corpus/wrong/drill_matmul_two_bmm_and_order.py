# wrong: drill-matmul axes-wrong-order line 10, unfold-order-differs line 21
import torch


def by_operator(w, v):
    return w @ v


def by_matmul(w, v):
    return torch.matmul(v.mT, w.mT)


def by_einsum(w, v):
    return torch.einsum("bhqk,bhkd->bhqd", w, v)


def by_bmm(w, v):
    B, H, Q, K = w.shape
    D = v.shape[-1]
    out = torch.bmm(w.reshape(B * H, Q, K), v.reshape(B * H, K, D))
    return out.reshape(H, B, Q, D).transpose(0, 1)


def by_broadcast(w, v):
    return (w.unsqueeze(-1) * v.unsqueeze(2)).sum(3)
