# right: sinks
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class ModelConfig:
    hidden_size: int
    num_attention_heads: int

    @property
    def head_dim(self):
        return self.hidden_size // self.num_attention_heads


class AttentionBlock(nn.Module):
    def __init__(self, config: ModelConfig):
        super().__init__()
        self.config = config
        width = config.hidden_size
        self.qkv = nn.Linear(width, 3 * width, bias=True)
        self.out = nn.Linear(width, width, bias=True)
        self.sinks = nn.Parameter(torch.zeros(config.num_attention_heads))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        c = self.config
        n_tokens = x.shape[1]
        qkv = self.qkv(x).unflatten(-1, (3, c.num_attention_heads, c.head_dim))
        q, k, v = qkv.unbind(2)
        qk = torch.einsum("bqhd,bkhd->bhqk", q, k) * c.head_dim**-0.5
        mask = torch.triu(qk.new_full((n_tokens, n_tokens), -float("inf")), diagonal=1)
        qk = F.pad(qk + mask, (0, 1))
        qk = torch.cat([qk[..., :-1], qk[..., -1:] + self.sinks[:, None, None]], dim=-1)
        w = torch.softmax(qk, dim=-1)[..., :n_tokens]
        attn = torch.einsum("bhqk,bkhd->bqhd", w, v)
        return self.out(attn.reshape(x.shape))
