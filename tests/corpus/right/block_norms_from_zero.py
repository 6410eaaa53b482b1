# right: block
# flax habits: length before heads, DenseGeneral-like kernels, everything by einsum
import torch
from torch import nn


class DenseGeneral(nn.Module):
    """contracts the last len(shape) - len(out) axes, like flax.linen.DenseGeneral"""

    def __init__(self, equation, shape, bias_shape, fan_in):
        super().__init__()
        self.equation = equation
        self.kernel = nn.Parameter(torch.randn(shape) / fan_in**0.5)
        self.bias = nn.Parameter(torch.zeros(bias_shape))

    def forward(self, x):
        return torch.einsum(self.equation, x, self.kernel) + self.bias


class SelfAttention(nn.Module):
    def __init__(self, features, num_heads):
        super().__init__()
        head_dim = features // num_heads
        qkv = ("btf,fhd->bthd", (features, num_heads, head_dim), (num_heads, head_dim), features)
        self.query, self.key, self.value = DenseGeneral(*qkv), DenseGeneral(*qkv), DenseGeneral(*qkv)
        self.out = DenseGeneral("bthd,hdf->btf", (num_heads, head_dim, features), (features,), features)
        self.scale = head_dim**-0.5

    def forward(self, x):
        query, key, value = self.query(x) * self.scale, self.key(x), self.value(x)
        logits = torch.einsum("bqhd,bkhd->bqkh", query, key)
        position = torch.arange(x.shape[1], device=x.device)
        causal = position[:, None] >= position[None, :]
        logits = torch.where(causal[None, :, :, None], logits, -torch.inf)
        weights = torch.softmax(logits, dim=2)
        return self.out(torch.einsum("bqkh,bkhd->bqhd", weights, value))


class MlpBlock(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.wi = DenseGeneral("btf,fm->btm", (features, 4 * features), (4 * features,), features)
        self.wo = DenseGeneral("btm,mf->btf", (4 * features, features), (features,), 4 * features)

    def forward(self, x):
        return self.wo(nn.functional.gelu(self.wi(x), approximate="none"))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.ln_0 = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.ln_1 = nn.LayerNorm(hidden_dim, eps=1e-5)
        self.attention = SelfAttention(hidden_dim, num_heads)
        self.mlp = MlpBlock(hidden_dim)

    def forward(self, inputs):
        x = inputs + self.attention(self.ln_0(inputs))
        return x + self.mlp(self.ln_1(x))
