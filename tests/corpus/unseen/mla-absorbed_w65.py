# attn-kata: mla-absorbed
import torch
from torch import einsum


def rope(x, pos):
    f = torch.promote_types(x.dtype, torch.float32)
    n = x.shape[-1]
    ang = pos[..., None].to(f) * 10000.0 ** (-torch.arange(n // 2, dtype=f, device=x.device) / n)
    re, im = x.to(f).chunk(2, -1)
    return torch.cat([re * ang.cos() - im * ang.sin(), im * ang.cos() + re * ang.sin()], -1)


def cache_entries(latent, key_rope, positions):
    return torch.cat([latent, rope(key_rope, positions).to(latent)], -1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    b, h, m, d = query_content.shape
    r, f = query_rope.shape[-1], torch.promote_types(cache.dtype, torch.float32)
    uk, uv = kv_up.to(f).unflatten(0, (h, 2, d)).unbind(1)
    mem = cache.to(f)
    pos = (lengths.to(cache.device).view(-1, 1) - m + torch.arange(m, device=cache.device))[:, None]
    q = torch.cat([query_content.to(f) @ uk, rope(query_rope, pos)], -1) * (d + r) ** -0.5
    s = einsum("bhmw,bnw->bhmn", q, mem)
    p = s.masked_fill(torch.arange(mem.shape[1], device=s.device) > pos[..., None], -torch.inf).softmax(-1)
    return einsum("bhmc,hdc->bhmd", einsum("bhmn,bnc->bhmc", p, mem[..., :-r]), uv).to(query_content)
