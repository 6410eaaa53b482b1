# MLA, 吸收矩阵版本
import torch
from torch import Tensor


def wide(t: Tensor) -> Tensor:
    return t if t.dtype == torch.float64 else t.to(torch.float32)


def rope(x: Tensor, pos: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    theta = 10000.0 ** (-2.0 * torch.arange(half, device=x.device, dtype=torch.float64) / x.shape[-1])
    ang = pos.to(torch.float64)[..., None] * theta
    c, s = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
    a, b = x.split(half, dim=-1)
    return torch.cat([a * c - b * s, b * c + a * s], dim=-1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    # 先旋转, 再拼接
    return torch.cat([latent, rope(wide(key_rope), positions).to(latent.dtype)], dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    B, H, Q, D = query_content.shape
    R, P = kv_up.shape[1], query_rope.shape[-1]
    w = wide(kv_up).reshape(H, 2, D, R)
    w_k = w[:, 0]                       # (H, D, R)
    w_v = w[:, 1].reshape(H, R, D)      # (H, R, D)
    qc, qr = wide(query_content), wide(query_rope)
    out = []
    # 每个样本长度不同, 一个一个来
    for b in range(B):
        n = int(lengths[b])
        entry = wide(cache[b, :n])
        pos = torch.arange(n - Q, n, device=cache.device)
        q = torch.cat([qc[b] @ w_k, rope(qr[b], pos)], dim=-1)      # (H, Q, R+P)
        s = q @ entry.T / (D + P) ** 0.5                            # (H, Q, n)
        later = torch.arange(n, device=cache.device)[None, :] > pos[:, None]
        s = s.masked_fill(later, float("-inf"))
        ctx = s.softmax(dim=-1) @ entry[:, :R]                      # (H, Q, R)
        out.append(ctx @ w_v)                                       # (H, Q, D)
    return torch.stack(out).to(query_content.dtype)
