import contextlib
import math

import torch
from torch import Tensor


def _rotor(positions: Tensor, rope_dim: int) -> Tensor:
    i = torch.arange(rope_dim // 2, dtype=torch.float64, device=positions.device)
    return torch.exp(1j * positions.double().unsqueeze(-1) * torch.pow(10000.0, -2 * i / rope_dim))


def _rotate(x: Tensor, positions: Tensor) -> Tensor:
    a, b = x.double().tensor_split(2, dim=-1)
    z = torch.complex(a, b) * _rotor(positions, x.shape[-1])
    return torch.cat([z.real, z.imag], -1)


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    return torch.cat([latent, _rotate(key_rope, positions).to(latent.dtype)], dim=-1)


@contextlib.contextmanager
def _sequence(cache: Tensor, b: int, used: int, dtype):
    """the entries that are this sequence's own, as (used, latent_dim + rope_dim)"""
    yield cache.select(0, b).narrow(0, 0, used).to(dtype)


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    batch, heads, nq, d = query_content.shape
    rope_dim = query_rope.shape[-1]
    latent_dim = kv_up.shape[-1]
    up = torch.promote_types(query_content.dtype, torch.float32)
    weights = kv_up.view(heads, 2, d, latent_dim)
    scale = 1.0 / math.sqrt(d + rope_dim)
    result = torch.empty_like(query_content)
    for b, used in enumerate(lengths.tolist()):
        stand = torch.arange(used - nq, used, device=cache.device)
        with _sequence(cache, b, used, up) as entries:
            late = torch.arange(used, device=cache.device) > stand[:, None]
            for h in range(heads):
                to_key, to_value = weights[h].to(up)
                wide_q = torch.cat(
                    [query_content[b, h].to(up) @ to_key, _rotate(query_rope[b, h], stand).to(up)], dim=-1
                )
                s = torch.addmm(wide_q.new_zeros(1), wide_q, entries.t(), beta=0, alpha=scale)
                w = s.masked_fill(late, -torch.inf).softmax(dim=-1)
                latent = w @ entries[:, :latent_dim]
                result[b, h] = torch.nn.functional.linear(latent, to_value)
    return result
