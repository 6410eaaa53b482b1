# attn-kata: v2   (how I remember modeling_gpt2.py, cut down to one head)
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class AttnConfig:
    n_embd: int = 768
    initializer_range: float = 0.02
    scale_attn_weights: bool = True


class Conv1D(nn.Module):
    """1D-convolutional layer as defined by Radford et al.: a Linear with its weight transposed."""

    def __init__(self, nf, nx, std):
        super().__init__()
        self.nf = nf
        self.weight = nn.Parameter(torch.empty(nx, nf))
        self.bias = nn.Parameter(torch.zeros(nf))
        nn.init.normal_(self.weight, std=std)

    def forward(self, x):
        size_out = x.size()[:-1] + (self.nf,)
        x = torch.addmm(self.bias, x.reshape(-1, x.size(-1)), self.weight)
        return x.view(size_out)


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        config = AttnConfig(n_embd=hidden_dim)
        self.split_size = config.n_embd
        self.scale_attn_weights = config.scale_attn_weights
        self.c_attn = Conv1D(3 * config.n_embd, config.n_embd, config.initializer_range)
        self.c_proj = Conv1D(config.n_embd, config.n_embd, config.initializer_range)

    def _attn(self, query, key, value):
        attn_weights = torch.matmul(query, key.transpose(-1, -2))
        if self.scale_attn_weights:
            attn_weights = attn_weights / torch.full(
                [], value.size(-1) ** 0.5, dtype=attn_weights.dtype, device=attn_weights.device
            )
        attn_weights = nn.functional.softmax(attn_weights, dim=-1)
        attn_weights = attn_weights.type(value.dtype)
        return torch.matmul(attn_weights, value), attn_weights

    def forward(self, hidden_states):
        query, key, value = self.c_attn(hidden_states).split(self.split_size, dim=2)
        attn_output, _ = self._attn(query, key, value)
        return self.c_proj(attn_output)
