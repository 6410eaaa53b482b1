# attn-kata: minigpt-cache
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Cache:
    """每一层、到目前为止所有位置的 key 和 value。这个类是给定的，保持原样。

    往里加东西会得到另一个 cache，这一个不变。
    """

    def __init__(self, layers: tuple[tuple[Tensor, Tensor], ...] = ()) -> None:
        self.layers = layers

    @property
    def length(self) -> int:
        """其中有多少个位置。"""
        return self.layers[0][0].shape[2] if self.layers else 0

    def extended(self, layer: int, key: Tensor, value: Tensor) -> tuple[Cache, Tensor, Tensor]:
        """返回在某一层加入了新位置的 cache，以及那一层全部的 key 和 value。

        key 和 value 是新位置的，(batch, heads, length, head_dim)。
        """
        if layer < len(self.layers):
            past_key, past_value = self.layers[layer]
            key = torch.cat([past_key, key], dim=2)
            value = torch.cat([past_value, value], dim=2)
        layers = (*self.layers[:layer], (key, value), *self.layers[layer + 1 :])
        return Cache(layers), key, value


class CachedGPT(nn.Module):
    """`minigpt` 的模型，能从上一次调用停下的地方继续。

    tokens   (batch, length)，最新的 token；已缓存的加上新的最多 block_size 个
    cache    第一次是 None，之后是上一次调用返回的
    返回     新位置的 logits，(batch, length, vocab_size)，以及一个 cache

    token 向量与可学习的位置向量相加，位置接着已缓存的往下数。block 是 pre-norm：num_heads 个
    head 的因果注意力，宽 4 * hidden_dim、用精确 GELU 的 MLP，eps 为 1e-5 的 LayerNorm。head 之前
    一个 norm，head 就是 token 表。每一层只处理新的位置。传进来的 cache 保持原样。
    """

    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int
    ) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        raise NotImplementedError("write me")


def generate(model: nn.Module, tokens: Tensor, count: int) -> Tensor:
    """返回 token，后面接上 `count` 个最可能的，(batch, length + count)。

    model   以 model(tokens, cache) 调用，返回 logits 和 cache
    tokens  (batch, length)，没有 padding；length + count 最多 model.block_size

    eval 模式。没有哪个位置给模型两次。
    """
    raise NotImplementedError("write me")
