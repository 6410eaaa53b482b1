"""The cache is a plain tensor (layers, 2, batch, heads, positions, head_dim)."""
import itertools
import math

import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.wqkv = nn.Parameter(torch.empty(3, hidden_dim, hidden_dim))
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        for w in self.wqkv.data:
            nn.init.xavier_uniform_(w)

    def forward(self, x, past):
        b, t, d = x.shape
        q, k, v = (x @ self.wqkv[:, None]).view(3, b, t, self.num_heads, -1).transpose(2, 3)
        k = torch.cat((past[0], k), dim=-2)
        v = torch.cat((past[1], v), dim=-2)
        s = k.shape[-2]
        query_place = torch.arange(s - t, s, device=x.device)[:, None]
        key_place = torch.arange(s, device=x.device)
        att = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        att = att.masked_fill(key_place > query_place, -math.inf).softmax(-1)
        y = (att @ v).transpose(1, 2).reshape(b, t, d)
        return self.wo(y), torch.stack((k, v))


class Layer(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.pre_attention = nn.LayerNorm(hidden_dim)
        self.attention = SelfAttention(hidden_dim, num_heads)
        self.mlp = nn.Sequential(
            nn.LayerNorm(hidden_dim), nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim)
        )

    def forward(self, x, past):
        y, kv = self.attention(self.pre_attention(x), past)
        x = x + y
        return x + self.mlp(x), kv


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size, self.num_heads = block_size, num_heads
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList(itertools.starmap(Layer, [(hidden_dim, num_heads)] * num_layers))
        self.ln_f = nn.LayerNorm(hidden_dim)
        nn.init.normal_(self.wte.weight, std=0.02)

    def empty(self, batch):
        vocab, width = self.wte.weight.shape
        return self.wte.weight.new_zeros(len(self.layers), 2, batch, self.num_heads, 0, width // self.num_heads)

    def forward(self, tokens, cache=None):
        if cache is None:
            cache = self.empty(tokens.shape[0])
        start = cache.shape[-2]
        x = self.wte(tokens) + self.wpe.weight[start : start + tokens.shape[1]]
        kept = []
        for layer, past in zip(self.layers, cache):
            x, kv = layer(x, past)
            kept.append(kv)
        return self.ln_f(x) @ self.wte.weight.T, torch.stack(kept)


def generate(model, tokens, count):
    model.eval()
    pieces, cache = [tokens], None
    with torch.no_grad():
        while len(pieces) <= count:
            logits, cache = model(pieces[-1], cache)
            pieces.append(logits[:, -1:].argmax(-1))
    return torch.cat(pieces, dim=1)
