# wrong: mla causal-missing-in-chunks line 68
from typing import Optional, Tuple

import torch
from torch import nn


def precompute_freqs_cis(dim: int, start: int, end: int, theta: float = 10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: (dim // 2)].float() / dim))
    t = torch.arange(start, end).float()
    freqs = torch.outer(t, freqs)
    return torch.polar(torch.ones_like(freqs), freqs)


def apply_rotary_emb(x: torch.Tensor, freqs_cis: torch.Tensor) -> torch.Tensor:
    a, b = x.float().chunk(2, -1)
    x_ = torch.view_as_complex(torch.stack((a, b), -1))
    out = torch.view_as_real(x_ * freqs_cis[None, :, None].to(x.device))
    return torch.cat(out.unbind(-1), -1).type_as(x)


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self,
        hidden_dim: int,
        num_heads: int,
        head_dim: int,
        rope_dim: int,
        latent_dim: int,
    ):
        super().__init__()
        self.n_heads = num_heads
        self.head_dim = head_dim
        self.rope_dim = rope_dim
        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.wkv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.wk_rope = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.wk = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.wv = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(
        self, x: torch.Tensor, cache: Optional[Tuple[torch.Tensor, torch.Tensor]] = None
    ) -> Tuple[torch.Tensor, Tuple[torch.Tensor, torch.Tensor]]:
        bsz, seqlen, _ = x.shape
        start_pos = cache[0].shape[1] if cache is not None else 0
        freqs_cis = precompute_freqs_cis(self.rope_dim, start_pos, start_pos + seqlen)

        xq = self.wq(x).view(bsz, seqlen, self.n_heads, self.head_dim + self.rope_dim)
        xq_nope, xq_rope = xq.split([self.head_dim, self.rope_dim], dim=-1)
        xq = torch.cat([xq_nope, apply_rotary_emb(xq_rope, freqs_cis)], dim=-1)

        latent = self.wkv_down(x)
        k_rope = apply_rotary_emb(self.wk_rope(x).view(bsz, seqlen, 1, self.rope_dim), freqs_cis)
        if cache is not None:
            latent = torch.cat((cache[0], latent), dim=1)
            k_rope = torch.cat((cache[1], k_rope), dim=1)
        total = latent.shape[1]

        keys = self.wk(latent).view(bsz, total, self.n_heads, self.head_dim)
        keys = torch.cat([keys, k_rope.expand(-1, -1, self.n_heads, -1)], dim=-1)
        values = self.wv(latent).view(bsz, total, self.n_heads, self.head_dim)

        xq, keys, values = xq.transpose(1, 2), keys.transpose(1, 2), values.transpose(1, 2)
        scores = torch.matmul(xq, keys.transpose(2, 3)) / (self.head_dim + self.rope_dim) ** 0.5

        mask = None
        if cache is None:
            mask = torch.full((seqlen, total), float("-inf"), device=x.device)
            mask = torch.triu(mask, diagonal=start_pos + 1).type_as(x)
        if mask is not None:
            scores = scores + mask
        scores = torch.softmax(scores.float(), dim=-1).type_as(xq)
        output = torch.matmul(scores, values)
        output = output.transpose(1, 2).contiguous().view(bsz, seqlen, -1)
        return self.wo(output), (latent, k_rope)
