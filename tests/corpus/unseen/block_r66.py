"""Pre-norm block in the flax idiom: small modules, `features` everywhere, functional core."""
import torch
import torch.nn.functional as F
from torch import nn


def causal_dot_product_attention(query, key, value):
    """[b, t, h, d] x 3 -> [b, t, h, d]"""
    t, depth = query.shape[1], query.shape[-1]
    idx = torch.arange(t, device=query.device)
    mask = torch.greater_equal(idx[:, None], idx[None, :])
    logits = torch.einsum("bqhd,bkhd->bhqk", query, key) / depth**0.5
    logits = torch.where(mask, logits, torch.finfo(logits.dtype).min)
    return torch.einsum("bhqk,bkhd->bqhd", torch.softmax(logits, -1), value)


class SelfAttention(nn.Module):
    def __init__(self, features, num_heads):
        super().__init__()
        self.num_heads = num_heads
        for name in ("query", "key", "value", "out"):
            self.add_module(name, nn.Linear(features, features, bias=name == "out"))

    def forward(self, inputs):
        heads = [
            self.get_submodule(name)(inputs).unflatten(2, (self.num_heads, -1))
            for name in ("query", "key", "value")
        ]
        return self.out(causal_dot_product_attention(*heads).flatten(2))


class MlpBlock(nn.Sequential):
    def __init__(self, features, expansion=4):
        super().__init__(
            nn.Linear(features, expansion * features),
            nn.GELU(approximate="none"),  # jax.nn.gelu(..., approximate=False)
            nn.Linear(expansion * features, features),
        )


class ScaleNorm(nn.Module):
    """LayerNorm(use_bias=False)"""

    def __init__(self, features, epsilon=1e-5):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(features))
        self.epsilon = epsilon

    def forward(self, x):
        return F.layer_norm(x, self.scale.shape, weight=self.scale, bias=None, eps=self.epsilon)


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.branches = nn.ModuleList(
            nn.Sequential(ScaleNorm(hidden_dim), f)
            for f in (SelfAttention(hidden_dim, num_heads), MlpBlock(hidden_dim))
        )

    def forward(self, x):
        for branch in self.branches:
            x = torch.add(x, branch(x))
        return x
