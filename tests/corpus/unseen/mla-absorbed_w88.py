from __future__ import annotations

import torch
from torch import Tensor

BASE = 10000.0


class HalfRotary:
    def __init__(self, width: int, device):
        exponent = torch.arange(0, width, 2, device=device, dtype=torch.float64) / width
        self.inv_freq = BASE ** -exponent

    def __call__(self, x: Tensor, positions: Tensor) -> Tensor:
        angle = positions.to(torch.float64).unsqueeze(-1) * self.inv_freq
        angle = torch.cat([angle, angle], -1)
        left, right = x.double().chunk(2, -1)
        turned = torch.cat([-right, left], -1)
        return (x * angle.cos() + turned * angle.sin()).to(x.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    rotary = HalfRotary(key_rope.size(-1), key_rope.device)
    return torch.cat([latent, rotary(key_rope, positions)], -1)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    heads, q_len, head_dim = query_content.shape[1:]
    rank = kv_up.size(-1)
    w = kv_up.unflatten(0, (heads, 2 * head_dim))
    w_key, w_value = w.split(head_dim, dim=1)

    query_at = lengths.unsqueeze(1) - q_len + torch.arange(q_len, device=lengths.device)
    q_rot = HalfRotary(query_rope.size(-1), cache.device)(query_rope, query_at.unsqueeze(1))
    q = torch.cat([query_content @ w_key, q_rot], -1)

    s = (q.flatten(1, 2) @ cache.transpose(1, 2)).unflatten(1, (heads, q_len))
    s = s * (head_dim + query_rope.size(-1)) ** -0.5
    own = torch.arange(cache.size(1), device=cache.device) < lengths.unsqueeze(1)
    s = s.masked_fill(~own[:, None, None], -torch.inf)
    latent = (s.softmax(-1).flatten(1, 2) @ cache[..., :rank]).unflatten(1, (heads, q_len))
    return latent @ w_value.transpose(1, 2)
