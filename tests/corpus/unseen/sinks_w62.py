from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class ModelConfig:
    hidden_size: int = 2880
    num_attention_heads: int = 64

    @property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_attention_heads


def sdpa(Q, K, V, S, sm_scale):
    # gpt-oss, without groups; Q, K, V: (batch, tokens, heads, head_dim)
    n_batch, n_tokens, n_heads, _ = Q.shape
    S = S.reshape(1, n_heads, 1, 1).expand(n_batch, -1, n_tokens, -1)
    mask = torch.triu(Q.new_full((n_tokens, n_tokens), -float("inf")), diagonal=1)
    QK = torch.einsum("bqhd,bkhd->bhqk", Q, K)
    QK = QK + mask[None, None, :, :]
    QK = torch.cat([QK, S], dim=-1)
    QK = QK * sm_scale
    W = torch.softmax(QK, dim=-1)
    W = W[..., :-1]
    attn = torch.einsum("bhqk,bkhd->bqhd", W, V)
    return attn.reshape(n_batch, n_tokens, -1)


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.config = config = ModelConfig(hidden_dim, num_heads)
        self.sinks = nn.Parameter(torch.empty(config.num_attention_heads).normal_(std=0.5))
        self.qkv = nn.Linear(config.hidden_size, 3 * config.hidden_size)
        self.out = nn.Linear(config.hidden_size, config.hidden_size)
        self.sm_scale = config.head_dim ** -0.5

    def forward(self, x):
        heads = (self.config.num_attention_heads, self.config.head_dim)
        q, k, v = (t.unflatten(-1, heads) for t in self.qkv(x).chunk(3, dim=-1))
        return self.out(sdpa(q, k, v, self.sinks, self.sm_scale))
