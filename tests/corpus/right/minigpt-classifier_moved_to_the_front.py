# right: minigpt-classifier
"""Real tokens are moved to the front: then causal attention and counted places do the rest."""

import math

import torch
from torch import nn
from torch.nn import functional as F


class Layer(nn.Module):
    def __init__(self, dim: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads, self.dim = n_heads, dim
        self.attn_norm, self.ffn_norm = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.q_proj = nn.Linear(dim, dim)
        self.kv_proj = nn.Linear(dim, 2 * dim)
        self.o_proj = nn.Linear(dim, dim)
        self.fc1, self.fc2 = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)

    def heads(self, x):
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def forward(self, x):
        h = self.attn_norm(x)
        q, (k, v) = self.q_proj(h), self.kv_proj(h).split(self.dim, dim=-1)
        q, k, v = self.heads(q), self.heads(k), self.heads(v)
        s = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(q.shape[-1])
        future = torch.ones_like(s, dtype=torch.bool).triu(1)
        w = s.masked_fill(future, float("-inf")).softmax(-1)
        o = torch.einsum("bhqk,bhkd->bqhd", w, v).flatten(2)
        x = x + self.o_proj(o)
        return x + self.fc2(F.gelu(self.fc1(self.ffn_norm(x))))


class SequenceClassifier(nn.Module):
    def __init__(self, vocab_size, max_len, dim, n_heads, depth, num_classes):
        super().__init__()
        self.tok_emb = nn.Embedding(vocab_size, dim)
        self.pos_emb = nn.Embedding(max_len, dim)
        self.layers = nn.ModuleList([Layer(dim, n_heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.classifier = nn.Linear(dim, num_classes)

    def forward(self, tokens, mask):
        real = mask != 0
        order = torch.argsort((~real).int(), dim=1, stable=True)
        tokens, real = tokens.gather(1, order), real.gather(1, order)
        x = self.tok_emb(tokens) + self.pos_emb.weight[: tokens.shape[1]]
        for layer in self.layers:
            x = layer(x)
        x = self.norm(x) * real[..., None]
        return self.classifier(x.sum(dim=1).div(real.sum(dim=1)[:, None]))
