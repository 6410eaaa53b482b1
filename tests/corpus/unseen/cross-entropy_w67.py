from __future__ import annotations

import torch
from torch import Tensor

# l_i = A_i - (1 - e) x_{i, t_i} - e mean_k x_{i, k},   A_i = log sum_k exp x_{i, k}


def wide(X: Tensor) -> Tensor:
    return X if X.dtype is torch.float64 else X.float()


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    e, k = label_smoothing, logits.size(-1)
    X, t = wide(logits).reshape(-1, k), targets.reshape(-1)
    w = (t != ignore_index).to(X.dtype)
    s = torch.where(t == ignore_index, torch.zeros_like(t), t)

    Y = X - X.amax(1, keepdim=True)
    A = torch.einsum("ik->i", Y.exp()).log()
    y = Y.gather(1, s[:, None])[:, 0]
    u = torch.einsum("ik->i", X) / k
    l = A - (1 - e) * y - e * u
    return (torch.einsum("i,i->", l, w) / w.sum()).to(logits.dtype)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    e, k = label_smoothing, logits.size(-1)
    X, t = wide(logits).reshape(-1, k), targets.reshape(-1)
    w = (t != ignore_index).to(X.dtype)
    s = torch.where(t == ignore_index, torch.zeros_like(t), t)

    P = (X - X.amax(1, keepdim=True)).exp()
    P = P / torch.einsum("ik->i", P)[:, None]
    I = torch.eye(k, dtype=X.dtype, device=X.device)[s]
    G = P - (1 - e) * I - e / k
    return torch.einsum("ik,i->ik", G, w / w.sum()).view(logits.shape).to(logits.dtype)
