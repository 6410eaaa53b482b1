# right: sdpa
from typing import Optional
import torch
from torch import Tensor
class _Config:
    eps = 0
def online(q: Tensor, k: Tensor, v: Tensor, keep: Tensor, block: int = 2) -> Tensor:
    m = q.new_full((*q.shape[:-1], 1), torch.finfo(q.dtype).min)
    l = torch.zeros_like(m)
    o = q.new_zeros(*q.shape[:-1], v.shape[-1])
    for j in range(0, k.shape[-2], block):
        s = q @ k[..., j:j + block, :].mT * (q.shape[-1] ** -0.5)
        s = torch.where(keep[..., j:j + block], s, float("-inf"))
        new = torch.maximum(m, s.amax(-1, keepdim=True))
        p = torch.exp(s - new)
        fix = torch.exp(m - new)
        l = l * fix + p.sum(-1, keepdim=True)
        o = o * fix + p @ v[..., j:j + block, :]
        m = new
    return o / l
def attention(query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor] = None, causal: bool = False) -> Tensor:
    B, H, Q, _ = query.shape
    K = key.shape[2]
    keep = torch.ones(B, H, Q, K, dtype=torch.bool, device=query.device)
    if mask is not None:
        keep = keep & (mask != 0)
    if causal:
        keep = keep & torch.ones(Q, K, dtype=torch.bool, device=query.device).tril(K - Q)
    return online(query, key, value, keep)
