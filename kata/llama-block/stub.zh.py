# attn-kata: llama-block
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class LlamaBlock(nn.Module):
    """pre-norm 的 block：因果的分组查询注意力，加 SwiGLU 的 MLP，与 Llama 一样。

    head_dim 是 hidden_dim // num_heads。key 和 value 有 num_kv_heads 个 head，相邻的 query head
    共用一个。mlp_dim 是 MLP 中间层的宽度。

    x         (batch, length, hidden_dim)，任何浮点 dtype
    cos, sin  (length, head_dim/2)：每个位置上每一对的旋转角的余弦和正弦
    返回      (batch, length, hidden_dim)

    h      = x + attention(RMSNorm(x))
    output = h + mlp(RMSNorm(h))
    mlp(u) = down( SiLU(gate(u)) * up(u) )
    RMSNorm(u) = u / √(mean(u²) + 1e-5) * weight，沿最后一维

    query 和 key 拆成 head 之后旋转。一对是一个 head 的前后两半，第 i 个和第 i + head_dim/2 个：
    (a, b) -> (a·cos − b·sin, b·cos + a·sin)。scores 除以 √head_dim；query 只能看自己和之前的
    位置。

    合并或分开投影、用模块或直接用参数、有没有 bias 都可以。
    不能用：F.scaled_dot_product_attention、nn.MultiheadAttention。
    """

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        raise NotImplementedError("write me")
