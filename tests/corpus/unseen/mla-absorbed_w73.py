from __future__ import annotations

import torch
from torch import Tensor


class RotaryEmbedding:
    """inv_freq in float32, applied to halves of the last axis."""

    def __init__(self, dim: int, base: float = 10000.0) -> None:
        self.inv_freq = base ** (-torch.arange(0, dim, 2, dtype=torch.float32) / dim)

    def __call__(self, t: Tensor, pos: Tensor) -> Tensor:
        freqs = pos.to(torch.float32).unsqueeze(-1) * self.inv_freq.to(t.device)
        emb = torch.cat((freqs, freqs), dim=-1)
        t1, t2 = t.chunk(2, dim=-1)
        return t * emb.cos().to(t.dtype) + torch.cat((-t2, t1), dim=-1) * emb.sin().to(t.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    rope = RotaryEmbedding(key_rope.size(-1))
    return torch.cat((latent, rope(key_rope, positions)), dim=-1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    b, n, s, d = query_content.size()
    r = query_rope.size(-1)
    c = cache.size(-1) - r
    w_kc, w_vc = kv_up.unflatten(0, (n, 2, d)).unbind(dim=1)

    rope = RotaryEmbedding(r)
    newest = (lengths - 1).view(b, 1, 1).to(cache.device)
    q_pe = rope(query_rope, newest)

    q_nope = torch.einsum("bnsd,ndc->bnsc", query_content, w_kc)
    absorbed = torch.cat((q_nope, q_pe), dim=-1)
    # heads and new positions share one row axis, so one bmm does for all
    scores = torch.bmm(absorbed.flatten(1, 2), cache.transpose(1, 2)).view(b, n, s, -1)
    scores = scores / (d + r) ** 0.5

    key_index = torch.arange(cache.size(1), device=cache.device)
    last_visible = newest.unsqueeze(-1) - torch.arange(s - 1, -1, -1, device=cache.device).view(
        1, 1, s, 1
    )
    scores = scores.masked_fill(key_index > last_visible, float("-inf"))
    probs = scores.softmax(dim=-1).flatten(1, 2)
    mixed = torch.bmm(probs, cache[:, :, :c]).view(b, n, s, c)
    return torch.einsum("bnsc,ndc->bnsd", mixed, w_vc)
