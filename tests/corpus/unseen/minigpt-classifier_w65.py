# attn-kata: minigpt-classifier
# nanoGPT from memory, with a padding mask and a classification head.
import math

import torch
import torch.nn as nn
from torch.nn import functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        self.n_head = n_head
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)

    def forward(self, x, bias):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in (q, k, v))
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(bias == 0, torch.finfo(att.dtype).min)
        y = F.softmax(att, dim=-1) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


class MLP(nn.Module):
    def __init__(self, n_embd):
        super().__init__()
        self.c_fc = nn.Linear(n_embd, 4 * n_embd)
        self.act = nn.GELU(approximate="tanh")
        self.c_proj = nn.Linear(4 * n_embd, n_embd)

    def forward(self, x):
        return self.c_proj(self.act(self.c_fc(x)))


class Block(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = CausalSelfAttention(n_embd, n_head)
        self.ln_2 = nn.LayerNorm(n_embd)
        self.mlp = MLP(n_embd)

    def forward(self, x, bias):
        x = x + self.attn(self.ln_1(x), bias)
        return x + self.mlp(self.ln_2(x))


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        self.transformer = nn.ModuleDict(dict(
            wte=nn.Embedding(vocab_size, hidden_dim),
            wpe=nn.Embedding(block_size, hidden_dim),
            h=nn.ModuleList([Block(hidden_dim, num_heads) for _ in range(num_layers)]),
            ln_f=nn.LayerNorm(hidden_dim),
        ))
        self.score = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens, mask):
        keep = mask.bool()
        T = tokens.size(1)
        pos = keep.cumsum(dim=1).sub(1).clamp(min=0)
        causal = torch.tril(torch.ones(T, T, dtype=torch.bool, device=tokens.device))
        bias = causal[None, None] & keep[:, None, None, :]
        x = self.transformer.wte(tokens) + self.transformer.wpe(pos)
        for block in self.transformer.h:
            x = block(x, bias)
        x = self.transformer.ln_f(x)
        w = keep.to(x.dtype).unsqueeze(-1)
        return self.score((x * w).sum(dim=1) / w.sum(dim=1))
