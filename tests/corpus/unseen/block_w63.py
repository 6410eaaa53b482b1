import numpy as np
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(features))
        self.beta = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        mu = x.mean(-1, keepdim=True)
        var = x.var(-1, keepdim=True)
        return self.gamma * (x - mu) / torch.sqrt(var + self.eps) + self.beta


class MHA(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        self.h, self.d_k = h, d_model // h
        self.linears = nn.ModuleList([nn.Linear(d_model, d_model) for _ in range(4)])

    def forward(self, x):
        nbatches, length = x.size(0), x.size(1)
        query, key, value = [
            lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
            for lin in self.linears[:3]
        ]
        scores = torch.matmul(query, key.transpose(-2, -1)) / np.sqrt(self.d_k)
        subsequent = torch.triu(torch.ones(1, length, length, device=x.device), diagonal=1).bool()
        p_attn = scores.masked_fill(subsequent, float("-inf")).softmax(dim=-1)
        x = torch.matmul(p_attn, value)
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        return self.linears[-1](x)


class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.w_2(nn.functional.gelu(self.w_1(x)))


class SublayerConnection(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm = LayerNorm(size)

    def forward(self, x, sublayer):
        return x + sublayer(self.norm(x))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.self_attn = MHA(hidden_dim, num_heads)
        self.feed_forward = PositionwiseFeedForward(hidden_dim, 4 * hidden_dim)
        self.sublayer = nn.ModuleList([SublayerConnection(hidden_dim) for _ in range(2)])

    def forward(self, x):
        x = self.sublayer[0](x, self.self_attn)
        return self.sublayer[1](x, self.feed_forward)
