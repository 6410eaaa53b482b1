"""Blockwise attention as an associative reduction: each tile gives (out, lse), pairs are merged."""
import functools

import torch

NEG = -1e30


def _tile(q, k, v, q_pos, k_pos, causal):
    s = torch.einsum("...qd,...kd->...qk", q, k)
    if causal:
        s = torch.where(k_pos[None, :] <= q_pos[:, None], s, NEG)
    lse = torch.logsumexp(s, dim=-1, keepdim=True)
    return torch.exp(s - lse) @ v, lse


def _merge(a, b):
    (oa, la), (ob, lb) = a, b
    l = torch.logaddexp(la, lb)
    return oa * torch.exp(la - l) + ob * torch.exp(lb - l), l


def flash_attention(query, key, value, block_size, causal=False):
    up = torch.promote_types(query.dtype, torch.float32)
    pos = torch.arange(query.shape[2], device=query.device)
    rows = []
    for q, q_pos in zip(query.split(block_size, -2), pos.split(block_size)):
        q = q.to(up) / q.shape[-1] ** 0.5
        parts = (
            _tile(q, k.to(up), v.to(up), q_pos, k_pos, causal)
            for k, v, k_pos in zip(key.split(block_size, -2), value.split(block_size, -2), pos.split(block_size))
            if not causal or k_pos[0] <= q_pos[-1]
        )
        out, _ = functools.reduce(_merge, parts)
        rows.append(out)
    return torch.cat(rows, dim=-2).to(query.dtype)
