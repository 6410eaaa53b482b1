import numpy as np
import torch


def attention_backward(query, key, value, grad_output, causal=False):
    """numpy-like, one (batch, head) slice after the other"""
    B, H, n, d = query.shape
    m = key.shape[2]
    gq, gk, gv = torch.empty_like(query), torch.empty_like(key), torch.empty_like(value)
    root = float(np.sqrt(d))
    visible = torch.as_tensor(np.tri(n, m, k=m - n, dtype=bool), device=query.device)

    for b, h in np.ndindex(B, H):
        Q, K, V, G = query[b, h], key[b, h], value[b, h], grad_output[b, h]

        # weights, shifted so that exp cannot overflow
        Z = Q @ K.T / root
        if causal:
            Z = torch.where(visible, Z, -torch.inf)
        W = torch.exp(Z - Z.max())
        W = W / W.sum(axis=1, keepdims=True)

        dW = G @ V.T
        dZ = W * (dW - (W * dW).sum(axis=1, keepdims=True)) / root
        gq[b, h] = dZ @ K
        gk[b, h] = dZ.T @ Q
        gv[b, h] = W.T @ G
    return gq, gk, gv
