from typing import Optional

import torch
from torch import Tensor, nn


class Head(nn.Module):
    """One head, with its own slice of the output matrix."""

    def __init__(self, n_embd: int, head_size: int, dropout: float):
        super().__init__()
        self.w_k = nn.Linear(n_embd, head_size, bias=False)
        self.w_q = nn.Linear(n_embd, head_size, bias=False)
        self.w_v = nn.Linear(n_embd, head_size, bias=False)
        self.w_o = nn.Linear(head_size, n_embd, bias=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Optional[Tensor]) -> Tensor:
        wei = self.w_q(x) @ self.w_k(x).transpose(-2, -1) * self.w_k.out_features**-0.5
        if mask is not None:
            wei = wei.masked_fill(mask == 0, torch.finfo(wei.dtype).min)
        return self.w_o(self.drop(wei.softmax(dim=-1)) @ self.w_v(x))


class MultiHeadAttention(nn.Module):
    # concat(heads) @ Wo is the same as summing every head through its own rows of Wo
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1):
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError(f"{hidden_dim=} is no multiple of {num_heads=}")
        self.heads = nn.ModuleDict(
            {f"head_{i}": Head(hidden_dim, hidden_dim // num_heads, dropout) for i in range(num_heads)}
        )
        self.bias = nn.Parameter(torch.zeros(hidden_dim))

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        b, t, _ = x.shape
        masks = [None] * len(self.heads)
        if attention_mask is not None:
            full = attention_mask.broadcast_to(b, len(self.heads), t, t)
            masks = full.unbind(dim=1)
        out = self.bias.expand_as(x)
        for head, m in zip(self.heads.values(), masks):
            out = out + head(x, m)
        return out
