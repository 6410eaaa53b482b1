# right: mla
from typing import Optional, Tuple

import torch
from torch import nn


def precompute_freqs_cis(dim: int, end: int, theta: float = 10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: (dim // 2)].double() / dim))
    t = torch.arange(end).double()
    freqs = torch.outer(t, freqs)
    return torch.polar(torch.ones_like(freqs), freqs)  # complex128


def reshape_for_broadcast(freqs_cis: torch.Tensor, x: torch.Tensor):
    ndim = x.ndim
    assert 0 <= 1 < ndim
    assert freqs_cis.shape == (x.shape[1], x.shape[-1])
    shape = [d if i == 1 or i == ndim - 1 else 1 for i, d in enumerate(x.shape)]
    return freqs_cis.view(*shape)


def apply_rotary_emb(xq: torch.Tensor, xk: torch.Tensor, freqs_cis: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    # (..., 2, d/2) -> (..., d/2, 2), so that the halves become the two parts of a number
    xq_ = torch.view_as_complex(xq.double().unflatten(-1, (2, -1)).transpose(-1, -2).contiguous())
    xk_ = torch.view_as_complex(xk.double().unflatten(-1, (2, -1)).transpose(-1, -2).contiguous())
    xq_out = torch.view_as_real(xq_ * reshape_for_broadcast(freqs_cis, xq_)).transpose(-1, -2).flatten(-2)
    xk_out = torch.view_as_real(xk_ * reshape_for_broadcast(freqs_cis, xk_)).transpose(-1, -2).flatten(-2)
    return xq_out.type_as(xq), xk_out.type_as(xk)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.n_local_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim
        self.latent_dim = latent_dim

        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.wc = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.wr = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.wk = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.wv = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)
        self.freqs_cis = precompute_freqs_cis(rope_dim, 32)

    def _freqs(self, start: int, end: int, device) -> torch.Tensor:
        if end > self.freqs_cis.shape[0]:
            with torch.inference_mode(False):
                self.freqs_cis = precompute_freqs_cis(self.rope_dim, 2 * end)
        return self.freqs_cis[start:end].to(device)

    def forward(self, x: torch.Tensor, cache: Optional[torch.Tensor] = None) -> Tuple[torch.Tensor, torch.Tensor]:
        bsz, seqlen, _ = x.shape
        start_pos = cache.shape[1] if cache is not None else 0

        xq = self.wq(x).view(bsz, seqlen, self.n_local_heads, self.head_dim + self.rope_dim)
        xq, xq_rope = xq[..., : self.head_dim], xq[..., self.head_dim:]
        latent = self.wc(x)
        xk_rope = self.wr(x).view(bsz, seqlen, 1, self.rope_dim)
        xq_rope, xk_rope = apply_rotary_emb(xq_rope, xk_rope, self._freqs(start_pos, start_pos + seqlen, x.device))

        entry = torch.cat([latent, xk_rope[:, :, 0]], dim=-1)
        cache = entry if cache is None else torch.cat([cache, entry], dim=1)
        latent, keys_rope = cache.split([self.latent_dim, self.rope_dim], dim=-1)
        total = cache.shape[1]

        keys = self.wk(latent).view(bsz, total, self.n_local_heads, self.head_dim)
        values = self.wv(latent).view(bsz, total, self.n_local_heads, self.head_dim)
        keys = torch.cat([keys, keys_rope[:, :, None].expand(-1, -1, self.n_local_heads, -1)], dim=-1)
        xq = torch.cat([xq, xq_rope], dim=-1)

        xq = xq.transpose(1, 2)  # (bs, n_local_heads, seqlen, head_dim + rope_dim)
        keys = keys.transpose(1, 2)
        values = values.transpose(1, 2)
        scores = torch.matmul(xq, keys.transpose(2, 3)) / (self.head_dim + self.rope_dim) ** 0.5
        if seqlen > 1:
            mask = torch.full((seqlen, seqlen), float("-inf"), device=x.device)
            mask = torch.triu(mask, diagonal=1)
            mask = torch.hstack([torch.zeros((seqlen, start_pos), device=x.device), mask]).type_as(x)
            scores = scores + mask
        scores = torch.softmax(scores, dim=-1).type_as(xq)
        output = torch.matmul(scores, values)
        output = output.transpose(1, 2).contiguous().view(bsz, seqlen, -1)
        return self.wo(output), cache
