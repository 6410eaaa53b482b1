# right: mha
import math

import torch
from einops import einsum, rearrange
from torch import Tensor, nn

# Shapes in the comments: Float[Tensor, " ... d_in"], Bool[Tensor, " ... queries keys"]


class Linear(nn.Module):
    def __init__(self, d_in: int, d_out: int):
        super().__init__()
        std = math.sqrt(2 / (d_in + d_out))
        self.W = nn.Parameter(nn.init.trunc_normal_(torch.empty(d_out, d_in), std=std, a=-3 * std, b=3 * std))

    def forward(self, x: Tensor) -> Tensor:  # Float[Tensor, " ... d_in"] -> Float[Tensor, " ... d_out"]
        return einsum(x, self.W, "... d_in, d_out d_in -> ... d_out")


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - torch.max(x, dim=dim, keepdim=True)[0])
    return e / torch.sum(e, dim=dim, keepdim=True)


def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = K.shape[-1]
    scores = einsum(Q, K, "... q d, ... k d -> ... q k") / math.sqrt(d_k)
    if mask is not None:
        scores = torch.where(mask.bool(), scores, torch.tensor(float("-inf"), dtype=scores.dtype, device=scores.device))
    weights = softmax(scores, dim=-1)
    return einsum(weights, V, "... q k, ... k d -> ... q d")


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        assert d_model % num_heads == 0
        self.d_model, self.num_heads = d_model, num_heads
        self.q_proj = Linear(d_model, d_model)
        self.k_proj = Linear(d_model, d_model)
        self.v_proj = Linear(d_model, d_model)
        self.output_proj = Linear(d_model, d_model)

    def forward(self, in_features: Tensor, mask: Tensor | None = None) -> Tensor:
        *b, sequence_length, d_model = in_features.shape
        Q, K, V = (
            rearrange(p(in_features), "... seq (heads d) -> ... heads seq d", heads=self.num_heads)
            for p in (self.q_proj, self.k_proj, self.v_proj)
        )
        out = scaled_dot_product_attention(Q, K, V, mask)
        out = rearrange(out, "batch heads seq d_v -> batch seq (heads d_v)").contiguous()
        return self.output_proj(out)
