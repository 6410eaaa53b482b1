# attn-kata: llama-block
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class LlamaBlock(nn.Module):
    """A pre-norm block: causal grouped-query attention and a SwiGLU MLP, as in Llama.

    head_dim is hidden_dim // num_heads. Keys and values have num_kv_heads heads; query heads
    side by side share one. mlp_dim is the width inside the MLP.

    x         (batch, length, hidden_dim), any float dtype
    cos, sin  (length, head_dim/2): of the angle by which each position rotates each pair
    returns   (batch, length, hidden_dim)

    h      = x + attention(RMSNorm(x))
    output = h + mlp(RMSNorm(h))
    mlp(u) = down( SiLU(gate(u)) * up(u) )
    RMSNorm(u) = u / √(mean(u²) + 1e-5) * weight, over the last axis

    Queries and keys are rotated after the split into heads. Pairs are halves of a head, entry i
    with entry i + head_dim/2: (a, b) -> (a·cos − b·sin, b·cos + a·sin). Scores are divided by
    √head_dim; a query sees its own position and those before it.

    Fused or separate, a module or raw parameters, bias or none: as you like.
    Not to be used: F.scaled_dot_product_attention, nn.MultiheadAttention.
    """

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        raise NotImplementedError("write me")
