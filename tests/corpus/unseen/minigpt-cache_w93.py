from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass(frozen=True)
class Past:
    keys: tuple = ()
    values: tuple = ()

    def __len__(self) -> int:
        return self.keys[0].shape[1] if self.keys else 0


class GPTLayer(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm_a, self.norm_m = nn.LayerNorm(width), nn.LayerNorm(width)
        self.proj_in, self.proj_out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.fc_in, self.fc_out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor, k_old: Tensor | None, v_old: Tensor | None):
        q, k, v = self.proj_in(self.norm_a(x)).unflatten(-1, (3, self.heads, -1)).unbind(2)
        if k_old is not None:
            k, v = torch.cat([k_old, k], 1), torch.cat([v_old, v], 1)
        s = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
        late = torch.ones(s.shape[-2:], dtype=torch.bool, device=x.device)
        late = late.triu(k.shape[1] - q.shape[1] + 1)
        w = s.masked_fill(late, torch.finfo(s.dtype).min).softmax(-1)
        x = x + self.proj_out(torch.einsum("bhqk,bkhd->bqhd", w, v).flatten(2))
        return x + self.fc_out(F.gelu(self.fc_in(self.norm_m(x)))), k, v


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.embedding = nn.Embedding(vocab_size, hidden_dim)
        self.positions = nn.Embedding(block_size, hidden_dim)
        self.stack = nn.ModuleList(GPTLayer(hidden_dim, num_heads) for _ in range(num_layers))
        self.final = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Past | None = None) -> tuple[Tensor, Past]:
        old = Past() if cache is None else cache
        n = len(old)
        rows = torch.arange(n, n + tokens.shape[1], device=tokens.device)
        x = self.embedding(tokens) + self.positions(rows)
        keys, values = [], []
        for i, layer in enumerate(self.stack):
            past = (old.keys[i], old.values[i]) if n else (None, None)
            x, k, v = layer(x, *past)
            keys.append(k)
            values.append(v)
        return F.linear(self.final(x), self.embedding.weight), Past(tuple(keys), tuple(values))


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    cache = None
    text = tokens
    for _ in range(count):
        logits, cache = model(text, cache)
        best = logits[:, -1].argmax(dim=-1)
        text = torch.cat([text, best[:, None]], dim=1)
    return text
