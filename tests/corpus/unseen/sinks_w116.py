from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class SinkConfig:
    n_dim: int = 64
    n_head: int = 8


class SinkAttention(nn.Module):
    """Attention with one learned logit for each head, after gpt-oss."""

    def __init__(self, config: SinkConfig) -> None:
        super().__init__()
        assert config.n_dim % config.n_head == 0
        self.n_head = config.n_head
        self.d_head = config.n_dim // config.n_head
        self.sm_scale = self.d_head**-0.5
        self.qkv = nn.Linear(config.n_dim, 3 * config.n_dim)
        self.sinks = nn.Parameter(torch.zeros(config.n_head))
        self.out = nn.Linear(config.n_dim, config.n_dim)

    def forward(self, x: Tensor) -> Tensor:
        bs, n_ctx, n_dim = x.shape
        qkv = self.qkv(x).view(bs, n_ctx, 3, self.n_head, self.d_head)
        Q, K, V = qkv.unbind(dim=2)

        QK = torch.einsum("bqhd,bkhd->bhqk", Q, K) * self.sm_scale
        mask = torch.triu(QK.new_full((n_ctx, n_ctx), -float("inf")), diagonal=1)
        QK = QK + mask

        S = self.sinks.reshape(1, self.n_head, 1, 1).expand(bs, -1, n_ctx, 1)
        QK = torch.cat([S, QK], dim=-1)
        W = torch.softmax(QK, dim=-1)
        W = W[..., :-1]

        attn = torch.einsum("bhqk,bkhd->bqhd", W, V)
        return self.out(attn.reshape(bs, n_ctx, n_dim))
