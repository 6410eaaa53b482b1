# attn-kata: mla-absorbed
import torch
from torch import Tensor


class Rotary:
    def __init__(self, dim: int, device) -> None:
        half = dim // 2
        self.inv = 1.0 / 10000.0 ** (torch.arange(half, device=device, dtype=torch.float32) / half)

    def __call__(self, t: Tensor, pos: Tensor) -> Tensor:
        angle = pos[..., None].float() * self.inv
        z = torch.polar(torch.ones_like(angle), angle)
        a, b = t.float().chunk(2, dim=-1) if t.dtype != torch.float64 else t.chunk(2, dim=-1)
        out = torch.complex(a, b) * z
        return torch.cat((out.real, out.imag), dim=-1).to(t.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    turned = Rotary(key_rope.shape[-1], key_rope.device)(key_rope, positions)
    return torch.cat((latent, turned), dim=-1)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    b, h, n, d = query_content.shape
    r = query_rope.shape[-1]
    c = cache.shape[-1] - r
    w_uk, w_uv = kv_up.view(2, h, d, c)
    place = lengths.view(b, 1) - n + torch.arange(n, device=lengths.device)
    q_rot = Rotary(r, cache.device)(query_rope, place.unsqueeze(1))
    q_lat = torch.einsum("bhnd,hdc->bhnc", query_content, w_uk)
    latents, ropes = cache[..., :c], cache[..., c:]
    s = torch.einsum("bhnc,bmc->bhnm", q_lat, latents) + torch.einsum("bhnr,bmr->bhnm", q_rot, ropes)
    s = s * (d + r) ** -0.5
    later = torch.arange(cache.shape[1], device=cache.device) > place[..., None]
    w = s.masked_fill(later[:, None], -torch.inf).softmax(dim=-1)
    mixed = torch.einsum("bhnm,bmc->bhnc", w, latents)
    return torch.einsum("bhnc,hdc->bhnd", mixed, w_uv)
