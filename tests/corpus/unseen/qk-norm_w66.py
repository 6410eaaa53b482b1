from __future__ import annotations

import torch
from torch import Tensor, nn


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, epsilon: float = 1e-6) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.epsilon = epsilon

        self.qkv_dense = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.output_dense = nn.Linear(hidden_dim, hidden_dim)
        self.query_scale = self.add_weight("ones")
        self.key_scale = self.add_weight("ones")

    def add_weight(self, initializer: str) -> nn.Parameter:
        fill = {"ones": torch.ones, "zeros": torch.zeros}[initializer]
        return nn.Parameter(fill(self.head_dim))

    def rms_normalize(self, inputs: Tensor, scale: Tensor) -> Tensor:
        mean_square = torch.mean(inputs * inputs, dim=-1, keepdim=True)
        normed = inputs / torch.sqrt(mean_square + self.epsilon)
        return normed * (1.0 + scale)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, _ = x.shape
        fused = self.qkv_dense(x)
        fused = torch.reshape(fused, (batch, length, 3, self.num_heads, self.head_dim))
        query, key, value = torch.unbind(torch.permute(fused, (2, 0, 3, 1, 4)), dim=0)

        query = self.rms_normalize(query, self.query_scale)
        key = self.rms_normalize(key, self.key_scale)

        logits = torch.matmul(query, key.transpose(-1, -2)) / self.head_dim**0.5
        mask = torch.tril(torch.ones((length, length), dtype=torch.bool, device=x.device))
        logits = torch.where(mask, logits, torch.finfo(logits.dtype).min)
        context = torch.matmul(torch.softmax(logits, dim=-1), value)
        return self.output_dense(torch.flatten(context.transpose(1, 2), start_dim=-2))
