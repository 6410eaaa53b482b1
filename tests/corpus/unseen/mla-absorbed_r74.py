# one sequence after another, only its own entries are ever touched
from __future__ import annotations
import torch
from torch import Tensor


def _turn(t: Tensor, positions: Tensor) -> Tensor:
    half = t.shape[-1] // 2
    exps = torch.linspace(0, 1, half + 1, dtype=torch.float64, device=t.device)[:-1]
    ang = positions.double().unsqueeze(-1) * torch.pow(torch.tensor(1e-4, dtype=torch.float64, device=t.device), exps)
    z = torch.complex(t[..., :half].double(), t[..., half:].double()) * torch.exp(1j * ang)
    return torch.cat([z.real, z.imag], -1).to(t.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    entries = latent.new_empty(*latent.shape[:-1], latent.shape[-1] + key_rope.shape[-1])
    entries[..., : latent.shape[-1]] = latent
    entries[..., latent.shape[-1] :] = _turn(key_rope, positions)
    return entries


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up) -> Tensor:
    B, H, Tq, d = query_content.shape
    r = query_rope.shape[-1]
    up_k, up_v = kv_up.unflatten(0, (H, 2, d)).unbind(1)  # (H, d, latent)
    out = torch.empty_like(query_content)
    wide = torch.promote_types(cache.dtype, torch.float32)
    query_content, query_rope, up_k, up_v = (t.to(wide) for t in (query_content, query_rope, up_k, up_v))
    for b, n in enumerate(lengths.tolist()):
        own = cache[b, :n].to(wide)
        c = own[:, :-r] if r else own
        at = torch.arange(n - Tq, n, device=cache.device)
        for h in range(H):
            q = torch.cat([query_content[b, h] @ up_k[h], _turn(query_rope[b, h], at)], -1)
            s = q @ own.T / (d + r) ** 0.5
            s = s.masked_fill(torch.arange(n, device=cache.device) > at[:, None], float("-inf"))
            out[b, h] = (s.softmax(-1) @ c @ up_v[h].T).to(out.dtype)
    return out
