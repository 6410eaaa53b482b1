# nanoGPT from memory, body only, plus a pooled classification head
from __future__ import annotations

import math

import torch
import torch.nn as nn
from torch import Tensor
from torch.nn import functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd: int, n_head: int):
        super().__init__()
        assert n_embd % n_head == 0
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.n_head = n_head

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        att = att.masked_fill(~seen, torch.finfo(att.dtype).min)
        att = F.softmax(att, dim=-1)
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y)


class Block(nn.Module):
    def __init__(self, n_embd: int, n_head: int):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = CausalSelfAttention(n_embd, n_head)
        self.ln_2 = nn.LayerNorm(n_embd)
        self.mlp = nn.ModuleDict(dict(
            c_fc=nn.Linear(n_embd, 4 * n_embd),
            act=nn.GELU(),
            c_proj=nn.Linear(4 * n_embd, n_embd),
        ))

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        x = x + self.attn(self.ln_1(x), seen)
        m = self.mlp
        x = x + m.c_proj(m.act(m.c_fc(self.ln_2(x))))
        return x


class GPTClassifier(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        num_classes: int,
    ) -> None:  # fmt: skip
        super().__init__()
        self.transformer = nn.ModuleDict(dict(
            wte=nn.Embedding(vocab_size, hidden_dim),
            wpe=nn.Embedding(block_size, hidden_dim),
            h=nn.ModuleList([Block(hidden_dim, num_heads) for _ in range(num_layers)]),
            ln_f=nn.LayerNorm(hidden_dim),
        ))
        self.cls_head = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        real = mask != 0
        T = tokens.size(1)
        pos = (real.cumsum(dim=1) - 1).clamp(min=0)
        causal = torch.ones(T, T, dtype=torch.bool, device=tokens.device).tril()
        seen = causal & real[:, None, None, :]

        x = self.transformer.wte(tokens) + self.transformer.wpe(pos)
        for block in self.transformer.h:
            x = block(x, seen)
        x = torch.where(real[:, :, None], x, 0.0).sum(dim=1) / real.sum(dim=1, keepdim=True)
        x = self.transformer.ln_f(x)
        return self.cls_head(x)
