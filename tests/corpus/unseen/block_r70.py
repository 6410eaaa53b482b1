from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm


class SelfAttn(nn.Module):
    """fairseq's names, with what goes in fused to one tensor: the queries, keys and values of a head
    stand together, and q, k, v is the innermost of the output axes."""

    def __init__(self, embed_dim: int, num_heads: int):
        super().__init__()
        self.in_proj_weight = nn.Parameter(torch.empty(num_heads, embed_dim // num_heads, 3, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(num_heads, embed_dim // num_heads, 3))
        self.out_proj = weight_norm(nn.Linear(embed_dim, embed_dim))
        nn.init.normal_(self.in_proj_weight, std=embed_dim**-0.5)

    def forward(self, x: Tensor) -> Tensor:
        tgt_len = x.size(1)
        qkv = torch.tensordot(x, self.in_proj_weight, dims=([2], [3])) + self.in_proj_bias
        q, k, v = qkv.permute(4, 0, 2, 1, 3)
        attn = torch.matmul(q, k.mT) / q.size(-1) ** 0.5
        future = torch.ones(tgt_len, tgt_len, device=x.device, dtype=torch.bool).triu_(1)
        attn = attn.masked_fill_(future, float("-inf")).softmax(dim=-1)
        return self.out_proj(torch.matmul(attn, v).transpose(1, 2).flatten(start_dim=2))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.self_attn = SelfAttn(hidden_dim, num_heads)
        self.self_attn_layer_norm = nn.LayerNorm(hidden_dim, bias=False)
        self.fc1 = weight_norm(nn.Linear(hidden_dim, 4 * hidden_dim))
        self.fc2 = weight_norm(nn.Linear(4 * hidden_dim, hidden_dim))
        self.final_layer_norm = nn.LayerNorm(hidden_dim, bias=False)
        self.activation_fn = nn.GELU()

    def forward(self, x: Tensor) -> Tensor:
        residual = x
        x = self.self_attn_layer_norm(x)
        x = residual + self.self_attn(x)
        residual = x
        x = self.final_layer_norm(x)
        x = self.fc2(self.activation_fn(self.fc1(x)))
        return residual + x
