from __future__ import annotations

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

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


# 我自己用一个字典做缓存: 层号 -> (key, value)，形状都是 (批, 头, 长度, 头维度)

def 拼接(缓存, 层号, k, v):
    # 把新位置的 k、v 接在旧的后面
    if 层号 in 缓存:
        旧k, 旧v = 缓存[层号]
        k = torch.cat([旧k, k], dim=2)
        v = torch.cat([旧v, v], dim=2)
    缓存[层号] = (k, v)
    return k, v


class Attention(nn.Module):
    def __init__(self, dim, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.head_dim = dim // n_heads
        self.wq = nn.Linear(dim, dim)
        self.wk = nn.Linear(dim, dim)
        self.wv = nn.Linear(dim, dim)
        self.wo = nn.Linear(dim, dim)

    def forward(self, x, mask, 缓存, 层号):
        b, t, d = x.shape
        # 分头
        q = self.wq(x).reshape(b, t, self.n_heads, self.head_dim).permute(0, 2, 1, 3)
        k = self.wk(x).reshape(b, t, self.n_heads, self.head_dim).permute(0, 2, 1, 3)
        v = self.wv(x).reshape(b, t, self.n_heads, self.head_dim).permute(0, 2, 1, 3)
        k, v = 拼接(缓存, 层号, k, v)
        # 打分，除以根号 head_dim
        score = torch.matmul(q, k.permute(0, 1, 3, 2)) / math.sqrt(self.head_dim)
        score = score + mask
        prob = F.softmax(score, dim=-1)
        out = torch.matmul(prob, v)
        # 合并各头
        out = out.permute(0, 2, 1, 3).reshape(b, t, d)
        return self.wo(out)


class Block(nn.Module):
    def __init__(self, dim, n_heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.attn = Attention(dim, n_heads)
        self.norm2 = nn.LayerNorm(dim)
        self.fc1 = nn.Linear(dim, dim * 4)
        self.fc2 = nn.Linear(dim * 4, dim)

    def forward(self, x, mask, 缓存, 层号):
        x = x + self.attn(self.norm1(x), mask, 缓存, 层号)
        x = x + self.fc2(F.gelu(self.fc1(self.norm2(x))))
        return x


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.tok = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList([Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(hidden_dim)
        # 词表要小一点，因为它也当输出层
        nn.init.normal_(self.tok.weight, 0, 0.02)
        nn.init.normal_(self.pos.weight, 0, 0.02)

    def forward(self, tokens, cache=None):
        缓存 = {} if cache is None else cache
        # 已经有多少个位置
        n = 缓存[0][0].shape[2] if 缓存 else 0
        t = tokens.shape[1]
        位置 = torch.arange(n, n + t, device=tokens.device)
        x = self.tok(tokens) + self.pos(位置)
        # 第 i 个新位置能看到 0 .. n+i
        mask = torch.zeros(t, n + t, device=x.device, dtype=x.dtype)
        mask.masked_fill_(torch.arange(n + t, device=x.device) > 位置[:, None], float("-inf"))
        for 层号, layer in enumerate(self.layers):
            x = layer(x, mask, 缓存, 层号)
        x = self.norm(x)
        return x @ self.tok.weight.t(), 缓存


def generate(model, tokens, count):
    model.eval()
    结果 = tokens
    新 = tokens
    缓存 = None
    with torch.no_grad():
        for _ in range(count):
            logits, 缓存 = model(新, 缓存)
            新 = torch.argmax(logits[:, -1, :], dim=-1, keepdim=True)
            结果 = torch.cat([结果, 新], dim=1)
    return 结果
