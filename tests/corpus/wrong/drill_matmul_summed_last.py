# wrong: drill-matmul summed-wrong-axis line 27
# fair: summed-wrong-axis 26, 27
import torch


def by_operator(w, v):
    return w @ v


def by_matmul(w, v):
    return torch.matmul(w, v)


def by_einsum(w, v):
    return torch.einsum('bhqk,bhkd->bhqd', w, v)


def by_bmm(w, v):
    b, h, q, k = w.shape
    return torch.bmm(w.reshape(b * h, q, k), v.reshape(b * h, k, v.shape[-1])).view(b, h, q, -1)


def by_broadcast(w, v):
    # 先对齐，再相乘，最后求和
    w = w[:, :, :, :, None]
    v = v[:, :, None, :, :]
    return (w * v).sum(-1)
