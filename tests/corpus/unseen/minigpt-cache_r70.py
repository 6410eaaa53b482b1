from __future__ import annotations

from typing import NamedTuple, Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Past(NamedTuple):
    """one tensor for all layers: (layers, 2, batch, length, hidden_dim)"""

    kv: Tensor

    @property
    def length(self) -> int:
        return self.kv.shape[3]


class Layer(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(width, eps=1e-5) for _ in range(2))
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor, old: Optional[Tensor], mask: Tensor):
        q, *new = self.qkv(self.norms[0](x)).chunk(3, -1)
        kv = torch.stack(new)
        if old is not None:
            kv = torch.cat((old, kv), dim=2)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (q, *kv))
        s = (q * q.shape[-1] ** -0.5) @ k.mT
        y = s.masked_fill(mask, float("-inf")).softmax(-1) @ v
        x = x + self.out(y.transpose(1, 2).flatten(2))
        return x + self.mlp(self.norms[1](x)), kv


class CachedGPT(nn.Module):
    def __init__(self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int) -> None:
        super().__init__()
        self.block_size = block_size
        self.tables = nn.Embedding(vocab_size + block_size, hidden_dim)  # tokens first, then places
        self.vocab = vocab_size
        self.layers = nn.ModuleList(Layer(hidden_dim, num_heads) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim, eps=1e-5)

    def forward(self, tokens: Tensor, cache: Past | None = None):
        start = 0 if cache is None else cache.length
        places = torch.arange(start, start + tokens.shape[1], device=tokens.device)
        x = self.tables(tokens) + self.tables(places + self.vocab)
        mask = torch.arange(start + tokens.shape[1], device=tokens.device) > places.unsqueeze(1)
        grown = []
        for i, layer in enumerate(self.layers):
            x, kv = layer(x, None if cache is None else cache.kv[i], mask)
            grown.append(kv)
        return self.norm(x) @ self.tables.weight[: self.vocab].T, Past(torch.stack(grown))


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    model.eval()
    text, fresh, cache = tokens, tokens, None
    for _ in range(count):
        logits, cache = model(fresh, cache)
        fresh = logits[:, -1:].argmax(-1)
        text = torch.cat((text, fresh), dim=1)
    return text
