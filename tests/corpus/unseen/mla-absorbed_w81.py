import math
import torch
from torch import Tensor


class Rotary:
    def __init__(self, dim: int, device):
        self.half = dim // 2
        self.inv = torch.pow(10000.0, -2.0 * torch.arange(self.half, device=device, dtype=torch.float64) / dim)

    def __call__(self, t: Tensor, positions: Tensor) -> Tensor:
        ang = positions.to(torch.float64).unsqueeze(-1) * self.inv
        c, s = ang.cos(), ang.sin()
        u, w = t[..., :self.half].double(), t[..., self.half:].double()
        return torch.cat((u * c - w * s, w * c + u * s), dim=-1).to(t.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat((latent, Rotary(key_rope.shape[-1], latent.device)(key_rope, positions)), dim=-1)


def absorbed_attention(query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor) -> Tensor:
    B, H, T, D = query_content.shape
    R, S = query_rope.shape[-1], cache.shape[1]
    weight = kv_up.unflatten(0, (H, 2 * D))
    key_up, value_up = weight[:, :D], weight[:, D:]                    # (H, D, L) each
    latent = cache[..., : cache.shape[-1] - R]
    where = lengths.view(B, 1) - T + torch.arange(T, device=cache.device).view(1, T)
    absorbed = torch.matmul(query_content, key_up)                      # (B, H, T, L)
    rotated = Rotary(R, cache.device)(query_rope, where.unsqueeze(1))
    full_query = torch.cat((absorbed, rotated), dim=-1)
    scores = torch.matmul(full_query, cache.unsqueeze(1).mT)
    scores = scores / math.sqrt(full_query.shape[-1])
    future = torch.arange(S, device=cache.device).view(1, 1, S) > where.unsqueeze(-1)
    scores = scores.masked_fill(future.unsqueeze(1), float("-inf"))
    mixed = torch.matmul(scores.softmax(dim=-1), latent.unsqueeze(1))   # (B, H, T, L)
    return torch.matmul(mixed, value_up.mT)
