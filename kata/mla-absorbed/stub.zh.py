# attn-kata: mla-absorbed
from __future__ import annotations

import math

import torch
from torch import Tensor


def cache_entries(latent: Tensor, key_rope: Tensor, positions: Tensor) -> Tensor:
    """新位置要存进 cache 的内容：先是潜向量，后面接着转好的旋转 key。

    latent     (batch, length, latent_dim)，任何浮点 dtype
    key_rope   (batch, length, rope_dim)，还没有转；所有 head 共用
    positions  (batch, length)，整数
    返回       (batch, length, latent_dim + rope_dim)

    旋转位置编码把第 (i, i + rope_dim/2) 对转过 position · 10000^(-2i/rope_dim)。
    """
    raise NotImplementedError("write me")


def absorbed_attention(
    query_content: Tensor, query_rope: Tensor, cache: Tensor, lengths: Tensor, kv_up: Tensor
) -> Tensor:
    """最新几个位置的因果注意力，直接对缓存的潜向量做。

    query_content  (batch, heads, query_length, head_dim)，任何浮点 dtype
    query_rope     (batch, heads, query_length, rope_dim)，还没有转
    cache          (batch, key_length, latent_dim + rope_dim)，由 cache_entries 得到
    lengths        (batch,)，从 query_length 到 key_length：每个序列已有多少条。它的 query 就是
                   其中最后几个位置；再往后的内容不属于它
    kv_up          (heads * 2 * head_dim, latent_dim)，即 Linear 的权重：每个 head 先是算内容
                   key 的那些行，再是算 value 的那些行
    返回           (batch, heads, query_length, head_dim)：与从潜向量算出 key 和 value 再做注意
                   力的结果相同

    分数除以 √(head_dim + rope_dim)。中途不算出 key 和 value：任何张量都不能同时含有 key_length
    和 head_dim 两个维度，也不能超过 2 · batch · key_length · (latent_dim + rope_dim) 个数。
    不能用：F.scaled_dot_product_attention。只评判前向。
    """
    raise NotImplementedError("write me")
