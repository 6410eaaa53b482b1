# attn-kata: minigpt-cache
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


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


class CausalAttention(nn.Module):
    def __init__(self, hid: int, n_head: int, layer: int) -> None:
        super().__init__()
        self.layer = layer
        self.n_head = n_head
        self.dk = hid // n_head
        self.qkv_proj = nn.Linear(hid, 3 * hid)
        self.out_proj = nn.Linear(hid, hid)

    def _to_heads(self, t: Tensor) -> Tensor:
        bsz, tlen, _ = t.shape
        return t.view(bsz, tlen, self.n_head, self.dk).transpose(1, 2)

    def _visible(self, past: int, new: int, total: int, device: torch.device) -> Tensor:
        # 第 r 行是绝对位置 past + r,能看到 0 .. past + r
        rows = past + torch.arange(new, device=device)
        cols = torch.arange(total, device=device)
        return cols[None, :] <= rows[:, None]

    def forward(self, h: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        bsz, new, hid = h.shape
        past = cache.length
        q, k, v = (self._to_heads(t) for t in self.qkv_proj(h).chunk(3, dim=-1))
        cache, k, v = cache.extended(self.layer, k, v)

        scores = q @ k.transpose(-2, -1) / math.sqrt(self.dk)
        visible = self._visible(past, new, k.size(2), h.device)
        scores = scores.masked_fill(~visible, float("-inf"))
        ctx = scores.softmax(dim=-1) @ v
        return self.out_proj(ctx.transpose(1, 2).reshape(bsz, new, hid)), cache


class FeedForward(nn.Module):
    def __init__(self, hid: int) -> None:
        super().__init__()
        self.up = nn.Linear(hid, 4 * hid)
        self.down = nn.Linear(4 * hid, hid)

    def forward(self, h: Tensor) -> Tensor:
        return self.down(F.gelu(self.up(h)))


class Block(nn.Module):
    def __init__(self, hid: int, n_head: int, layer: int) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(hid)
        self.attn = CausalAttention(hid, n_head, layer)
        self.ln_2 = nn.LayerNorm(hid)
        self.ffn = FeedForward(hid)

    def forward(self, h: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        delta, cache = self.attn(self.ln_1(h), cache)
        h = h + delta
        return h + self.ffn(self.ln_2(h)), cache


class CachedGPT(nn.Module):
    """GPT with a cache; 对外接口:logits, cache = model(tokens, cache)"""

    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.tok_emb = nn.Embedding(vocab_size, hidden_dim)
        self.pos_emb = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList()
        for layer in range(num_layers):
            self.blocks.append(Block(hidden_dim, num_heads, layer))
        self.ln_f = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        if cache is None:
            cache = Cache()
        begin = cache.length
        end = begin + tokens.size(1)
        if end > self.block_size:
            raise ValueError(f"{end} positions, block_size is {self.block_size}")
        h = self.tok_emb(tokens) + self.pos_emb.weight[begin:end]
        for block in self.blocks:
            h, cache = block(h, cache)
        return self.ln_f(h) @ self.tok_emb.weight.t(), cache


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    """Greedy decoding. 第一次喂整个 prompt,之后每次只喂一个 token。"""
    was_training = model.training
    model.eval()
    text, step, cache = tokens, tokens, None
    for _ in range(count):
        logits, cache = model(step, cache)
        step = logits[:, -1, :].argmax(dim=-1, keepdim=True)
        text = torch.cat([text, step], dim=1)
    model.train(was_training)
    return text
