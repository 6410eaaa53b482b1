from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import pad, softplus


def log_keep(gate: Tensor) -> Tensor:
    """log sigmoid(g) / 16 = -softplus(-g) / 16"""
    g = gate.double() if gate.dtype == torch.float64 else gate.float()
    return -softplus(-g) / 16


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    keep = log_keep(gate).exp().to(state.dtype)
    new_state = torch.einsum("bh,bhde->bhde", keep, state) + torch.einsum("bhd,bhe->bhde", key, value)
    return torch.einsum("bhd,bhde->bhe", query, new_state), new_state


class Chunks:
    """All chunks at once: (batch, heads, chunks, size, ...). Filled up with keys of 0 that keep everything."""

    def __init__(self, size: int, length: int) -> None:
        self.size = min(size, length)
        self.length = length
        self.spare = -length % self.size

    def of(self, t: Tensor) -> Tensor:
        fill = (0, self.spare) if t.dim() == 3 else (0, 0, 0, self.spare)
        return pad(t, fill).unflatten(2, (-1, self.size))

    def back(self, t: Tensor) -> Tensor:
        return t.flatten(2, 3)[:, :, : self.length]


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    dtype = torch.promote_types(query.dtype, torch.float32)
    logs = log_keep(gate).double()               # sums of thousands are subtracted: float64 for these few
    chunks = Chunks(chunk_size, query.size(2))
    q, k, v = (chunks.of(t.to(dtype)) for t in (query, key, value))
    c = chunks.of(logs).cumsum(-1)                                           # b h m n, falls within a chunk
    last = c[..., -1:]

    own = (k * torch.exp(last - c).to(dtype).unsqueeze(-1)).mT @ v                     # what each chunk writes
    found, running = [], state.to(dtype)
    for whole, written in zip(last.exp().to(dtype).unsqueeze(-1).unbind(2), own.unbind(2)):
        found.append(running)
        running = whole * running + written
    before = torch.stack(found, dim=2)                                       # b h m d e

    ahead = torch.ones(chunks.size, chunks.size, dtype=torch.bool, device=q.device).triu(1)
    fade = torch.exp((c[..., :, None] - c[..., None, :]).masked_fill(ahead, 0.0)).masked_fill(ahead, 0.0).to(dtype)
    output = (q @ k.mT * fade) @ v + torch.exp(c).to(dtype).unsqueeze(-1) * (q @ before)
    return chunks.back(output).to(value.dtype), running.to(state.dtype)
