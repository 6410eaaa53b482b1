# five ways to do weights times values. coming from numpy, so lots of np.newaxis
import numpy as np
import torch


def by_operator(weights, values):
    return weights @ values


def by_matmul(weights, values):
    # (W V)^T = V^T W^T
    wt = weights.swapaxes(-1, -2)
    vt = values.swapaxes(-1, -2)
    return vt.matmul(wt).swapaxes(-1, -2)


def by_einsum(weights, values):
    # list form: 0=batch 1=head 2=query 3=key 4=dim
    return torch.einsum(weights, [0, 1, 2, 3], values, [0, 1, 3, 4], [0, 1, 2, 4])


def by_bmm(weights, values):
    B, H, Q, K = weights.shape
    D = values.shape[-1]
    # heads first, on both sides
    w = weights.swapaxes(0, 1).reshape(H * B, Q, K)
    v = values.swapaxes(0, 1).reshape(H * B, K, D)
    out = torch.bmm(w, v)
    return out.reshape(H, B, Q, D).swapaxes(0, 1)


def by_broadcast(weights, values):
    w = weights[..., np.newaxis]              # B H Q K 1
    v = values[:, :, np.newaxis, ...]         # B H 1 K D
    return (w * v).sum(axis=-2)


if __name__ == "__main__":
    w = torch.tensor([[[[0.9, 0.1]]]])
    v = torch.tensor([[[[1.0, 0.0], [0.0, 1.0]]]])
    for f in (by_operator, by_matmul, by_einsum, by_bmm, by_broadcast):
        print(f.__name__, f(w, v))
