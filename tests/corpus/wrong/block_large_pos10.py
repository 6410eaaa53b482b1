# wrong: block
"""The pre-norm transformer block (Radford et al. 2019, GPT-2; Xiong et al. 2020, figure 1b)."""


import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class TransformerBlock(nn.Module):
    """Causal self-attention and an MLP, each behind a norm and beside a residual.

    attended = x + attention(norm(x)); output = attended + mlp(norm(attended)). x is
    (batch, length, hidden_dim), any float dtype; returns the same shape and dtype.
    Raises ValueError where hidden_dim is not a multiple of num_heads.
    """

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError(f"hidden_dim {hidden_dim} is not a multiple of num_heads {num_heads}")
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        mlp_dim = 4 * hidden_dim
        self.attention_norm = nn.LayerNorm(hidden_dim)
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)
        self.mlp_norm = nn.LayerNorm(hidden_dim)
        self.up_proj = nn.Linear(hidden_dim, mlp_dim)
        self.down_proj = nn.Linear(mlp_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, hidden_dim = x.shape
        attention_input = self.attention_norm(x)  # (batch, length, hidden_dim)
        queries = self.query_proj(attention_input)  # (batch, length, hidden_dim)
        keys = self.key_proj(attention_input)  # (batch, length, hidden_dim)
        values = self.value_proj(attention_input)  # (batch, length, hidden_dim)
        split = (batch, length, self.num_heads, self.head_dim)
        query = queries.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        key = keys.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        value = values.view(split).transpose(1, 2)  # (batch, heads, length, head_dim)
        products = query @ key.mT  # (batch, heads, length, length)
        scores = products / math.sqrt(self.head_dim)  # (batch, heads, length, length)
        seen = torch.nn.functional.pad(scores.new_ones(min(length,10), min(length,10)).tril(), (0, max(0,length-10), 0, max(0,length-10)), value=1)  # (length, length)
        lowest = torch.finfo(scores.dtype).min
        masked_scores = scores.masked_fill(seen == 0, lowest)  # (batch, heads, length, length)
        weights = masked_scores.softmax(dim=-1)  # (batch, heads, length, length)
        context = weights @ value  # (batch, heads, length, head_dim)
        by_position = context.transpose(1, 2)  # (batch, length, heads, head_dim)
        merged = by_position.reshape(batch, length, hidden_dim)  # (batch, length, hidden_dim)
        attention_output = self.output_proj(merged)  # (batch, length, hidden_dim)
        # The residual is x itself, not the normed x: nothing but sums on the way to the gradient.
        attended = x + attention_output  # (batch, length, hidden_dim)
        mlp_input = self.mlp_norm(attended)  # (batch, length, hidden_dim)
        expanded = self.up_proj(mlp_input)  # (batch, length, mlp_dim)
        activated = F.gelu(expanded)  # (batch, length, mlp_dim)
        mlp_output = self.down_proj(activated)  # (batch, length, hidden_dim)
        output = attended + mlp_output  # (batch, length, hidden_dim)
        return output

