import torch
import torch.nn as nn
from torch import Tensor


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        self.n_heads = num_heads
        self.qkv_w = nn.Parameter(torch.randn(3, hidden_dim, num_heads, hidden_dim // num_heads) / hidden_dim ** 0.5)
        self.out_w = nn.Parameter(torch.randn(num_heads, hidden_dim // num_heads, hidden_dim) / hidden_dim ** 0.5)
        self.S = nn.Parameter(torch.zeros(num_heads))

    def sdpa(self, Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
        B, T, H, D = Q.shape
        QK = torch.einsum("bqhd,bkhd->bhqk", Q, K) * D ** -0.5
        QK = QK + torch.triu(QK.new_full((T, T), -float("inf")), diagonal=1)
        S = self.S.reshape(1, H, 1, 1).expand(B, H, T, 1)
        W = torch.softmax(torch.cat([QK, S], dim=-1), dim=-1)
        W = W[..., 1:]
        return torch.einsum("bhqk,bkhd->bqhd", W, V)

    def forward(self, x: Tensor) -> Tensor:
        Q, K, V = torch.einsum("btc,pchd->pbthd", x, self.qkv_w).unbind(0)
        return torch.einsum("bthd,hdc->btc", self.sdpa(Q, K, V), self.out_w)
