from __future__ import annotations
import math
import torch
from torch import Tensor, nn
import torch.nn.functional as F


class Cache:
    def __init__(self, layers=()):
        self.layers = layers

    @property
    def length(self):
        return self.layers[0][0].shape[2] if self.layers else 0

    def extended(self, layer, key, value):
        if layer < len(self.layers):
            past_key, past_value = self.layers[layer]
            key = torch.cat([past_key, key], dim=2)
            value = torch.cat([past_value, value], dim=2)
        layers = (*self.layers[:layer], (key, value), *self.layers[layer + 1 :])
        return Cache(layers), key, value


class Block(nn.Module):
    def __init__(self, d, h, index):
        super().__init__()
        self.h, self.index = h, index
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.fc1, self.fc2 = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x, cache):
        b, t, d = x.shape
        q, k, v = [z.view(b, t, self.h, -1).transpose(1, 2) for z in self.qkv(self.ln1(x)).chunk(3, -1)]
        cache, k, v = cache.extended(self.index, k, v)
        s = q @ k.mT / math.sqrt(d // self.h)
        n = k.shape[2]
        i = torch.arange(n - t, n, device=x.device)[:, None]
        s = s.masked_fill(torch.arange(n, device=x.device) > i, -math.inf)
        x = x + self.proj((s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d))
        return x + self.fc2(F.gelu(self.fc1(self.ln2(x)))), cache


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.tok, self.pos = nn.Embedding(vocab_size, hidden_dim), nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Block(hidden_dim, num_heads, i) for i in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        cache = cache or Cache()
        p = torch.arange(tokens.shape[1], device=tokens.device) + cache.length
        x = self.tok(tokens) + self.pos(p)
        for blk in self.blocks:
            x, cache = blk(x, cache)
        return F.linear(self.norm(x), self.tok.weight), cache


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    text, cache, inp = tokens, None, tokens
    for _ in range(count):
        logits, cache = model(inp, cache)
        nxt = logits[:, -1].argmax(-1, keepdim=True)
        text = torch.cat([text, nxt], dim=1)
        inp = text
    return text
