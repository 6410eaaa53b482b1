import math
import torch
import torch.nn.functional as F

ROPE_BASE = 10_000


def rope(x, pos):
    """x [..., R], pos one number for each of x's second-last axis (batch broadcasts)"""
    R = x.shape[-1]
    assert R % 2 == 0
    idx = torch.arange(R // 2, device=x.device, dtype=torch.float32)
    ang = pos.float().unsqueeze(-1) * torch.exp(idx * (-2.0 * math.log(ROPE_BASE) / R))
    lo, hi = x[..., : R // 2], x[..., R // 2 :]
    return torch.cat((lo * ang.cos() - hi * ang.sin(), hi * ang.cos() + lo * ang.sin()), -1).to(x.dtype)


def cache_entries(latent, key_rope, positions):
    assert latent.shape[:2] == key_rope.shape[:2] == positions.shape
    return torch.cat((latent, rope(key_rope, positions)), dim=2)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    B, H, Q, D = query_content.shape
    _, K, E = cache.shape
    R = query_rope.shape[-1]
    L = E - R
    assert kv_up.shape == (H * 2 * D, L), kv_up.shape
    ACC = torch.promote_types(torch.float32, cache.dtype)

    col = torch.arange(K, device=cache.device)                                   # [K]
    where = lengths.unsqueeze(1) + torch.arange(-Q, 0, device=cache.device)      # [B, Q]
    own = col < lengths.unsqueeze(1)                                             # [B, K]

    W = kv_up.to(ACC).view(H, 2, D, L)
    q_lat = torch.matmul(query_content.to(ACC), W[:, 0])                         # [B, H, Q, L]
    q_rot = rope(query_rope.to(ACC), where.unsqueeze(1))                         # [B, H, Q, R]
    q = torch.cat((q_lat, q_rot), -1).reshape(B, H * Q, E)

    mem = torch.where(own.unsqueeze(-1), cache.to(ACC), torch.zeros((), dtype=ACC, device=cache.device))
    s = torch.bmm(q, mem.transpose(1, 2)).view(B, H, Q, K) / math.sqrt(D + R)
    causal = torch.ones(Q, K, dtype=torch.bool, device=cache.device).tril(K - Q)
    keep = causal & own[:, None, None, :]
    w = F.softmax(s.masked_fill(keep.logical_not(), -math.inf), dim=-1)

    lat = torch.bmm(w.view(B, H * Q, K), mem[..., :L]).view(B, H, Q, L)
    return torch.matmul(lat, W[:, 1].transpose(1, 2)).to(query_content.dtype)
