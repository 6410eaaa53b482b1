# wrong: drill-matmul axes-wrong-order line 7
import torch


# (A B)^T = B^T A^T, so this is the same product
def by_operator(w, v):
    return v.transpose(-1, -2) @ w.transpose(-1, -2)


def by_matmul(w, v):
    return torch.matmul(w, v)


def by_einsum(w, v):
    return torch.einsum("bhqk,bhkd->bhqd", w, v)


def by_bmm(w, v):
    return torch.bmm(w.flatten(0, 1), v.flatten(0, 1)).unflatten(0, w.shape[:2])


def by_broadcast(w, v):
    return (w[..., None] * v[:, :, None]).sum(-2)
