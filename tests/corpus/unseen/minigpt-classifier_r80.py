# Gather the real tokens to the left, run a plain causal body on them, mean over what is real.
from __future__ import annotations
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, w, h):
        super().__init__()
        self.h = h
        self.attention_norm, self.mlp_norm = nn.LayerNorm(w), nn.LayerNorm(w)
        self.query_proj, self.key_proj, self.value_proj = (nn.Linear(w, w) for _ in range(3))
        self.output_proj, self.up_proj, self.down_proj = nn.Linear(w, w), nn.Linear(w, 4 * w), nn.Linear(4 * w, w)

    def forward(self, x):
        u = self.attention_norm(x)
        q, k, v = (p(u).unflatten(-1, (self.h, -1)).transpose(1, 2) for p in (self.query_proj, self.key_proj, self.value_proj))
        n = x.shape[1]
        s = q @ k.mT * q.shape[-1] ** -0.5
        s = s.masked_fill(torch.ones(n, n, device=x.device).triu(1) > 0, float("-inf"))
        x = x + self.output_proj((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
        return x + self.down_proj(nn.functional.gelu(self.up_proj(self.mlp_norm(x))))


class Body(nn.Module):
    def __init__(self, vocab_size, block_size, w, h, n):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, w)
        self.position_embedding = nn.Embedding(block_size, w)
        self.blocks = nn.Sequential(*(Layer(w, h) for _ in range(n)))
        self.final_norm = nn.LayerNorm(w)

    def forward(self, tokens):
        x = self.token_embedding(tokens) + self.position_embedding.weight[: tokens.shape[1]]
        return self.final_norm(self.blocks(x))


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        self.body = Body(vocab_size, block_size, hidden_dim, num_heads, num_layers)
        self.head = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens, mask):
        real = mask != 0
        order = torch.argsort(real.int(), dim=1, descending=True, stable=True)
        packed, real = tokens.gather(1, order), real.gather(1, order)
        n = real.sum(1, keepdim=True)
        vectors = self.body(packed)
        mean = vectors.masked_fill(~real[..., None], 0).sum(1) / n.to(vectors.dtype)
        return self.head(mean)
