# wrong: drill-matmul einsum-output-missing line 12
import torch

by_operator = lambda a, v: a @ v


def by_matmul(a, v):
    return torch.matmul(a, v)


def by_einsum(a, v):
    return torch.einsum("bhik,bhkz", a, v)


def by_bmm(a, v):
    B, H = a.shape[0], a.shape[1]
    return torch.bmm(a.flatten(0, 1), v.flatten(0, 1)).reshape(B, H, a.shape[2], v.shape[3])


def by_broadcast(a, v):
    return torch.sum(a[..., None] * v[..., None, :, :], dim=3)
