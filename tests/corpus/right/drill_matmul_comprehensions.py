# right: drill-matmul
import torch
from torch import bmm, einsum, matmul


def by_operator(w, v):
    w = w @ v
    return w


def by_matmul(w, v):
    return matmul(w, v)


def by_einsum(w, v):
    return einsum("abcd, abde -> abce", (w, v))


def by_bmm(w, v):
    B, H = (n for n in w.shape[:2])
    w, v = (t.flatten(end_dim=1) for t in (w, v))
    return bmm(w, v).view(B, H, *[s for s in (w.shape[1], v.shape[2])])


def by_broadcast(w, v):
    for axis, name in ((4, "w"), (2, "v")):
        if name == "w":
            w = w.unsqueeze(axis)
        else:
            v = v.unsqueeze(axis)
    return w.mul(v).sum(dim=3)
