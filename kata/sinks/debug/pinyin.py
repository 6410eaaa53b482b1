import math
import torch
from torch import nn


class SinkAttention(nn.Module):
    """每个 head 带一个可学习的 sink"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.tou_shu = num_heads
        self.tou_wei = hidden_dim // num_heads
        self.W_q = nn.Linear(hidden_dim, hidden_dim)
        self.W_k = nn.Linear(hidden_dim, hidden_dim)
        self.W_v = nn.Linear(hidden_dim, hidden_dim)
        self.W_o = nn.Linear(hidden_dim, hidden_dim)
        self.sink = nn.Parameter(torch.zeros(num_heads))

    def chai(self, t):
        B, T, _ = t.shape
        return t.reshape(B, T, self.tou_shu, self.tou_wei).permute(0, 2, 1, 3)

    def forward(self, x):
        B, T, E = x.shape
        q, k, v = self.chai(self.W_q(x)), self.chai(self.W_k(x)), self.chai(self.W_v(x))
        fen_shu = q @ k.transpose(-1, -2) / math.sqrt(self.tou_wei)
        zhe_zhao = torch.tril(torch.ones(T, T, device=x.device)) == 0
        fen_shu = fen_shu.masked_fill(zhe_zhao, float("-inf"))
        sink = self.sink.view(self.tou_shu, 1, 1)
        zui_da = torch.max(fen_shu.max(dim=-1, keepdim=True)[0], sink)
        fen_zi = torch.exp(fen_shu - zui_da)
        fen_mu = fen_zi.sum(dim=-1, keepdim=True) + torch.exp(sink - zui_da)
        shu_chu = torch.matmul(fen_zi / fen_mu, v)
        return self.W_o(shu_chu.permute(0, 2, 1, 3).reshape(B, T, E))
