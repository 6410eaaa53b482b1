from __future__ import annotations

import math

import torch
import torch.nn as nn
from torch.nn import functional as F
from torch import Tensor

# -----------------------------------------------------------------------------
# the cache, as given

class Cache:
    """Keys and values of every layer, of all positions so far. It is given: leave it as it is.

    Adding to it makes another cache and leaves this one as it is.
    """

    def __init__(self, layers: tuple[tuple[Tensor, Tensor], ...] = ()) -> None:
        self.layers = layers

    @property
    def length(self) -> int:
        """How many positions it holds."""
        return self.layers[0][0].shape[2] if self.layers else 0

    def extended(self, layer: int, key: Tensor, value: Tensor) -> tuple[Cache, Tensor, Tensor]:
        """Return the cache with new positions in one layer, and all keys and values of that layer.

        key and value are (batch, heads, length, head_dim), of the new positions.
        """
        if layer < len(self.layers):
            past_key, past_value = self.layers[layer]
            key = torch.cat([past_key, key], dim=2)
            value = torch.cat([past_value, value], dim=2)
        layers = (*self.layers[:layer], (key, value), *self.layers[layer + 1 :])
        return Cache(layers), key, value

# -----------------------------------------------------------------------------
# makemore-style transformer, now with a memory

class CausalSelfAttention(nn.Module):

    def __init__(self, n_embd, n_head, layer_idx):
        super().__init__()
        self.n_head = n_head
        self.layer_idx = layer_idx
        # key, query, value projections for all heads, but in a batch
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)

    def forward(self, x, cache, past):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).chunk(3, dim=-1)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)  # (B, nh, T, hs)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        cache, k, v = cache.extended(self.layer_idx, k, v)  # k, v now (B, nh, past+T, hs)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        mask = torch.ones(T, past + T, dtype=torch.bool, device=x.device).tril(diagonal=past)
        att = att.masked_fill(~mask, float('-inf'))
        y = F.softmax(att, dim=-1) @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y), cache

class Block(nn.Module):

    def __init__(self, n_embd, n_head, layer_idx):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = CausalSelfAttention(n_embd, n_head, layer_idx)
        self.ln_2 = nn.LayerNorm(n_embd)
        self.mlp = nn.ModuleDict(dict(
            c_fc    = nn.Linear(n_embd, 4 * n_embd),
            c_proj  = nn.Linear(4 * n_embd, n_embd),
            act     = nn.GELU(),
        ))

    def mlpf(self, x): # MLP forward
        m = self.mlp
        return m.c_proj(m.act(m.c_fc(x)))

    def forward(self, x, cache, past):
        y, cache = self.attn(self.ln_1(x), cache, past)
        x = x + y
        x = x + self.mlpf(self.ln_2(x))
        return x, cache

class CachedGPT(nn.Module):

    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.h = nn.ModuleList([Block(hidden_dim, num_heads, i) for i in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim)
        torch.nn.init.normal_(self.wte.weight, mean=0.0, std=0.02)
        torch.nn.init.normal_(self.wpe.weight, mean=0.0, std=0.02)

    def forward(self, idx, cache=None):
        device = idx.device
        b, t = idx.size()
        if cache is None:
            cache = Cache()
        past = cache.length # before any layer adds to it
        assert past + t <= self.block_size, f"{past} + {t} positions, block size is {self.block_size}"
        pos = torch.arange(past, past + t, dtype=torch.long, device=device).unsqueeze(0)
        x = self.wte(idx) + self.wpe(pos)
        for block in self.h:
            x, cache = block(x, cache, past)
        logits = self.ln_f(x) @ self.wte.weight.T
        return logits, cache

@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    if count < 1:
        return tokens
    out = [tokens]
    logits, cache = model(tokens, None) # prefill
    for i in range(count):
        ix = logits[:, -1, :].max(dim=-1, keepdim=True).indices
        out.append(ix)
        if i + 1 < count:
            logits, cache = model(ix, cache) # decode
    return torch.cat(out, dim=1)
