from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


def _spin(x: Tensor, at: Tensor) -> Tensor:
    """Pairs (i, i + n/2) as complex numbers, multiplied by e^(i * angle)."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    re, im = wide.tensor_split(2, dim=-1)
    z = torch.complex(re.contiguous(), im.contiguous())
    n = x.shape[-1]
    rate = 10000 ** (-torch.arange(0, n, 2, dtype=wide.dtype, device=x.device) / n)
    angle = at.to(wide.dtype).unsqueeze(-1) * rate
    z = z * torch.polar(torch.ones_like(angle), angle)
    return torch.cat([z.real, z.imag], -1).to(x.dtype)


@dataclass
class Absorbed:
    key: Tensor
    value: Tensor

    @classmethod
    def cut(cls, kv_up: Tensor, heads: int) -> "Absorbed":
        per_head = [w.chunk(2, 0) for w in kv_up.chunk(heads, 0)]
        return cls(torch.stack([k for k, _ in per_head]), torch.stack([v for _, v in per_head]))


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    out = latent.new_empty(*latent.shape[:-1], latent.shape[-1] + key_rope.shape[-1])
    out[..., : latent.shape[-1]] = latent
    out[..., latent.shape[-1] :] = _spin(key_rope, positions)
    return out


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    _, heads, count, head_dim = query_content.shape
    up = Absorbed.cut(kv_up, heads)
    out = []
    for qc, qr, entries, n in zip(query_content, query_rope, cache, lengths.tolist()):
        rows = []
        for i in range(count):
            p = n - count + i
            mine = entries[: p + 1]
            c, r = mine[:, : kv_up.shape[1]], mine[:, kv_up.shape[1] :]
            absorbed = torch.einsum("hd,hdc->hc", qc[:, i], up.key)
            turned = _spin(qr[:, i], torch.tensor([p], device=cache.device))
            s = absorbed @ c.T + turned @ r.T
            w = torch.softmax(s / (head_dim + qr.shape[-1]) ** 0.5, dim=1)
            rows.append(torch.einsum("hc,hdc->hd", w @ c, up.value))
        out.append(torch.stack(rows, 1))
    return torch.stack(out)
