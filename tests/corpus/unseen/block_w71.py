import functools

import torch
from torch import nn

gelu = functools.partial(nn.functional.gelu, approximate="tanh")


class MlpBlock(nn.Module):
    def __init__(self, features, mlp_dim):
        super().__init__()
        self.wi = nn.Linear(features, mlp_dim)
        self.wo = nn.Linear(mlp_dim, features)

    def forward(self, inputs):
        return self.wo(gelu(self.wi(inputs)))


class Attention(nn.Module):
    def __init__(self, features, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(features, 3 * features, bias=False)
        self.out = nn.Linear(features, features, bias=False)

    def forward(self, inputs):
        query, key, value = self.qkv(inputs).unflatten(-1, (3, self.num_heads, -1)).unbind(2)
        query = query * query.shape[-1] ** -0.5
        logits = torch.einsum("bqhd,bkhd->bhqk", query, key)
        pos = torch.arange(inputs.shape[1], device=inputs.device)
        logits = logits.masked_fill(pos[None, :] > pos[:, None], torch.finfo(logits.dtype).min)
        context = torch.einsum("bhqk,bkhd->bqhd", logits.softmax(-1), value)
        return self.out(context.flatten(2))


class TransformerBlock(nn.Module):
    """Encoder1DBlock, with a causal mask."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.LayerNorm_0 = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.LayerNorm_1 = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.Attention_0 = Attention(hidden_dim, num_heads)
        self.MlpBlock_0 = MlpBlock(hidden_dim, 4 * hidden_dim)

    def forward(self, inputs):
        x = inputs + self.Attention_0(self.LayerNorm_0(inputs))
        return x + self.MlpBlock_0(self.LayerNorm_1(x))
