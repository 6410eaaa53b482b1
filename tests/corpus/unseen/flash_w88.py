import torch
from torch import Tensor
from math import sqrt, inf


def flash_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False) -> Tensor:
    dt = torch.float64 if query.dtype == torch.float64 else torch.float32
    Q, K, V = query.to(dt), key.to(dt), value.to(dt)
    B, H, T, d = Q.shape
    out = torch.zeros(B, H, T, V.shape[-1], dtype=dt, device=Q.device)
    denom = torch.zeros(B, H, T, dtype=dt, device=Q.device)
    peak = torch.full((B, H, T), torch.finfo(dt).min, dtype=dt, device=Q.device)
    q_idx = torch.arange(T, device=Q.device)
    for k_blk, v_blk, begin in zip(K.split(block_size, 2), V.split(block_size, 2), range(0, T, block_size)):
        s = torch.einsum("bhqd,bhkd->bhqk", Q, k_blk) / sqrt(d)
        if causal:
            k_idx = torch.arange(k_blk.shape[2], device=Q.device)
            s = s.masked_fill(k_idx[None, :] > q_idx[:, None], -inf)
        new_peak = torch.max(peak, s.max(-1)[0])
        p = torch.exp(s - new_peak[..., None])
        shrink = torch.exp(peak - new_peak)
        denom = denom * shrink + p.sum(-1)
        out = out * shrink[..., None] + torch.einsum("bhqk,bhkd->bhqd", p, v_blk)
        peak = new_peak
    return (out / denom[..., None]).to(query.dtype)
