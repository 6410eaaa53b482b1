# port of a flax.linen attention with DenseGeneral(features=(3, d))
import torch
from torch import nn


def lecun_normal(shape, fan_in):
    return torch.randn(shape) / fan_in**0.5


class DenseGeneral(nn.Module):
    """kernel has the shape (in, *features); only the last axis of the input is contracted"""

    def __init__(self, in_features, features):
        super().__init__()
        self.features = tuple(features)
        self.kernel = nn.Parameter(lecun_normal((in_features, *self.features), in_features))
        self.bias = nn.Parameter(torch.zeros(self.features))

    def forward(self, inputs):
        return torch.tensordot(inputs, self.kernel, dims=1) + self.bias


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.features = hidden_dim
        self.qkv = DenseGeneral(hidden_dim, (3, hidden_dim))

    def forward(self, x):
        qkv = self.qkv(x)  # [batch, length, 3, features]
        query, key, value = qkv.movedim(-2, 0)
        depth = query.shape[-1]
        query = query / depth**0.5
        attn_weights = torch.einsum("...qd,...kd->...qk", query, key)
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)
        return torch.einsum("...qk,...kd->...qd", attn_weights, value)
