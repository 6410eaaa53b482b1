# attn-kata: minigpt-cache
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def positions(tokens: Tensor, past: int = 0) -> Tensor:
    n = tokens.shape[-1]
    return torch.arange(past, past + n, device=tokens.device)


class Layer(nn.Module):
    def __init__(self, d: int, h: int) -> None:
        super().__init__()
        self.h = h
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(d, d) for _ in range(4))
        self.fc1, self.fc2 = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def forward(self, x: Tensor, kv):
        y = self.ln1(x)
        q, k, v = self.split(self.wq(y)), self.split(self.wk(y)), self.split(self.wv(y))
        if kv is not None:
            k, v = torch.cat((kv[0], k), dim=2), torch.cat((kv[1], v), dim=2)
        n, m = q.shape[2], k.shape[2]
        s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
        seen = torch.ones(n, m, dtype=torch.bool, device=x.device).tril(m - n)
        w = s.masked_fill(~seen, float("-inf")).softmax(dim=-1)
        x = x + self.wo((w @ v).transpose(1, 2).flatten(2))
        return x + self.fc2(F.gelu(self.fc1(self.ln2(x)))), (k, v)


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.tokens = nn.Embedding(vocab_size, hidden_dim)
        self.places = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList(Layer(hidden_dim, num_heads) for _ in range(num_layers))
        self.last = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache=None):
        if cache is None:
            cache = [None] * len(self.layers)
        past = 0 if cache[0] is None else cache[0][0].shape[1]
        x = self.tokens(tokens) + self.places(positions(tokens, past))
        grown = []
        for layer, kv in zip(self.layers, cache):
            x, kv = layer(x, kv)
            grown.append(kv)
        return F.linear(self.last(x), self.tokens.weight), grown


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    text, cache = tokens, None
    for _ in range(count):
        logits, cache = model(tokens, cache)
        tokens = logits[:, -1].argmax(-1).unsqueeze(-1)
        text = torch.cat((text, tokens), dim=1)
    return text
