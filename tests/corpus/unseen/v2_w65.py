from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def stop_gradient(tensor: Tensor) -> Tensor:
    return tensor.detach()


class Softmax(nn.Module):
    """Like keras.layers.Softmax: shifted by the maximum, along one axis."""

    def __init__(self, axis: int = -1) -> None:
        super().__init__()
        self.axis = axis

    def forward(self, inputs: Tensor) -> Tensor:
        shift = stop_gradient(torch.amax(inputs, dim=self.axis, keepdim=True))
        exps = torch.exp(inputs - shift)
        total = stop_gradient(torch.sum(exps, dim=self.axis, keepdim=True))
        return torch.div(exps, total)


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int, use_bias: bool = True, name: str = "attention") -> None:
        super().__init__()
        self.name = name
        self.units = hidden_dim
        self.qkv_dense = nn.Linear(hidden_dim, 3 * hidden_dim, bias=use_bias)
        self.output_dense = nn.Linear(hidden_dim, hidden_dim, bias=use_bias)
        self.softmax = Softmax(axis=-1)

    def call(self, inputs: Tensor) -> Tensor:
        fused = self.qkv_dense(inputs)
        query, key, value = torch.split(fused, self.units, dim=-1)
        logits = torch.matmul(query, torch.transpose(key, -1, -2))
        logits = logits / math.sqrt(self.units)
        probs = self.softmax(logits)
        return self.output_dense(torch.matmul(probs, value))

    def forward(self, x: Tensor) -> Tensor:
        return self.call(x)
