"""FlashAttention's backward, one tile of keys after another (numpy habits: slices and newaxis)."""
import numpy as np
import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    T, D = query.shape[-2:]
    work = torch.promote_types(query.dtype, torch.float32)
    scale = float(1.0 / np.sqrt(D))
    q, k, v, o, do = (a.to(work) for a in (query, key, value, output, grad_output))
    L = lse.to(work)[..., np.newaxis]
    delta = (do * o).sum(axis=-1, keepdims=True)

    dq = torch.zeros_like(q)
    dk = torch.zeros_like(k)
    dv = torch.zeros_like(v)
    rows = torch.arange(T, device=q.device)[:, np.newaxis]

    for lo in range(0, T, block_size):
        hi = min(lo + block_size, T)
        first = lo if causal else 0           # earlier queries see nothing of this tile
        qs, dos = q[..., first:, :], do[..., first:, :]
        kb, vb = k[..., lo:hi, :], v[..., lo:hi, :]

        p = torch.exp(qs @ kb.swapaxes(-1, -2) * scale - L[..., first:, :])
        if causal:
            cols = torch.arange(lo, hi, device=q.device)[np.newaxis, :]
            p = torch.where(cols <= rows[first:], p, 0.0)
        dv[..., lo:hi, :] = p.swapaxes(-1, -2) @ dos
        p *= dos @ vb.swapaxes(-1, -2) - delta[..., first:, :]
        dq[..., first:, :] += p @ kb
        dk[..., lo:hi, :] = p.swapaxes(-1, -2) @ qs

    return (dq * scale).to(query.dtype), (dk * scale).to(key.dtype), dv.to(value.dtype)
