# wrong: mla-absorbed rope-on-latent line 16
from torch import Tensor
import torch


def rope_half(x: Tensor, positions: Tensor) -> Tensor:
    n = x.shape[-1]
    angles = positions.double()[..., None] / 10000 ** (torch.arange(0, n, 2, device=x.device) / n).double()
    left, right = x.double().chunk(2, dim=-1)
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([left * cos - right * sin, right * cos + left * sin], dim=-1).to(x.dtype)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    entry = torch.cat([latent, key_rope], dim=-1)
    return rope_half(entry, positions)


def absorbed_attention(query_content, query_rope, cache, lengths, kv_up):
    heads, queries, head_dim = query_content.shape[1:]
    rope_dim = query_rope.shape[-1]
    latent = cache[..., : cache.shape[-1] - rope_dim]
    up = kv_up.view(heads, 2, head_dim, latent.shape[-1])
    positions = lengths[:, None] - queries + torch.arange(queries, device=lengths.device)
    query = torch.cat([query_content @ up[:, 0], rope_half(query_rope, positions[:, None])], dim=-1)
    scores = query @ cache.unsqueeze(1).mT / (head_dim + rope_dim) ** 0.5
    seen = torch.arange(cache.shape[1], device=cache.device) <= positions[..., None]
    weights = scores.masked_fill(~seen[:, None], float("-inf")).softmax(dim=-1)
    return weights @ latent.unsqueeze(1) @ up[:, 1].mT
