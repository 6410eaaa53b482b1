# right: minigpt-cache
"""Cached GPT; the cache is one tensor, (layers, 2, batch, heads, positions, head_dim)."""
from __future__ import annotations

from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor, einsum, nn

KV = Tensor


def _dense(n_in: int, *n_out: int) -> nn.Parameter:
    w = torch.empty(n_in, *n_out)
    nn.init.trunc_normal_(w, std=n_in**-0.5)
    return nn.Parameter(w)


class _Layer(nn.Module):
    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        d_head = d_model // n_heads
        self.ln_attn = nn.LayerNorm(d_model, eps=1e-5)
        self.ln_mlp = nn.LayerNorm(d_model, eps=1e-5)
        self.query_proj = _dense(d_model, n_heads, d_head)
        self.key_proj = _dense(d_model, n_heads, d_head)
        self.value_proj = _dense(d_model, n_heads, d_head)
        self.output_proj = _dense(d_model, d_model)
        self.up_proj, self.b_up = _dense(d_model, 4 * d_model), nn.Parameter(torch.zeros(4 * d_model))
        self.down_proj, self.b_down = _dense(4 * d_model, d_model), nn.Parameter(torch.zeros(d_model))

    def forward(self, resid: Tensor, past: Optional[KV], bias: Tensor) -> tuple[Tensor, KV]:
        x = self.ln_attn(resid)
        q = einsum("bpm,mhd->bhpd", x, self.query_proj)
        kv = torch.stack(
            (einsum("bpm,mhd->bhpd", x, self.key_proj), einsum("bpm,mhd->bhpd", x, self.value_proj))
        )
        if past is not None:
            kv = torch.cat((past, kv), dim=-2)
        k, v = kv.unbind(0)
        pattern = F.softmax(einsum("bhqd,bhkd->bhqk", q, k) / q.size(-1) ** 0.5 + bias, dim=-1)
        z = einsum("bhqk,bhkd->bqhd", pattern, v).flatten(-2)
        resid = resid + z @ self.output_proj
        hidden = F.gelu(self.ln_mlp(resid) @ self.up_proj + self.b_up)
        return resid + hidden @ self.down_proj + self.b_down, kv


class CachedGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.token_embedding = nn.Parameter(0.02 * torch.randn(vocab_size, hidden_dim))
        self.position_embedding = nn.Parameter(0.02 * torch.randn(block_size, hidden_dim))
        self.layers = nn.ModuleList([_Layer(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln_final = nn.LayerNorm(hidden_dim, eps=1e-5)

    def forward(self, tokens: Tensor, cache: Optional[KV] = None) -> tuple[Tensor, KV]:
        n_new = tokens.size(1)
        n_old = 0 if cache is None else cache.size(-2)
        resid = F.embedding(tokens, self.token_embedding) + self.position_embedding[n_old : n_old + n_new]
        bias = resid.new_full((n_new, n_old + n_new), float("-inf")).triu(diagonal=n_old + 1)
        kept = []
        for i, layer in enumerate(self.layers):
            resid, kv = layer(resid, None if cache is None else cache[i], bias)
            kept.append(kv)
        return self.ln_final(resid) @ self.token_embedding.T, torch.stack(kept)


def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    if count == 0:
        return tokens
    model.eval()
    with torch.no_grad():
        logits, cache = model(tokens, None)
        out = [tokens, logits[:, -1].argmax(-1, keepdim=True)]
        for _ in range(count - 1):
            logits, cache = model(out[-1], cache)
            out.append(logits[:, -1].argmax(-1, keepdim=True))
    return torch.cat(out, dim=1)
