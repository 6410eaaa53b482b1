import math

import torch
import torch.nn as nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int):
        super(SelfAttentionV2, self).__init__()
        self.hidden_dim = hidden_dim
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        # x: [batch, seq, hidden]
        QKV = self.qkv(x)
        Q, K, V = QKV.split(self.hidden_dim, dim=2)
        att = torch.matmul(Q, K.permute(0, 2, 1)) / math.sqrt(self.hidden_dim)
        att = torch.softmax(att, dim=-1)
        out = torch.matmul(att, V)
        return self.output_proj(out)
