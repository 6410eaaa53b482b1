"""Backward with the queries in slabs of 256, so that long contexts fit next to the KV cache."""
import math

import torch

SLAB = 256


def _slab_backward(q, k, v, g, hidden, scale):
    s = torch.matmul(q, k.mT) * scale
    if hidden is not None:
        s = s.masked_fill(hidden, -math.inf)
    p = torch.softmax(s, dim=-1)
    dp = torch.matmul(g, v.mT)
    ds = p * (dp - torch.linalg.vecdot(p, dp).unsqueeze(-1)) * scale
    return ds @ k, ds.mT @ q, p.mT @ g


def attention_backward(query, key, value, grad_output, causal=False):
    work = torch.promote_types(query.dtype, torch.float32)
    q, k, v, g = (t.to(work) for t in (query, key, value, grad_output))
    q_len, k_len = q.shape[2], k.shape[2]
    scale = 1.0 / math.sqrt(q.shape[3])
    k_pos = torch.arange(k_len, device=q.device)

    dq = torch.empty_like(q)
    dk, dv = torch.zeros_like(k), torch.zeros_like(v)
    for i in range(0, q_len, SLAB):
        rows = slice(i, min(i + SLAB, q_len))
        hidden = None
        if causal:
            q_pos = torch.arange(rows.start, rows.stop, device=q.device) + k_len - q_len
            hidden = k_pos[None, :] > q_pos[:, None]
        dq[:, :, rows], dk[:], dv[:] = _slab_backward(q[:, :, rows], k, v, g[:, :, rows], hidden, scale)

    return dq.to(query.dtype), dk.to(key.dtype), dv.to(value.dtype)
