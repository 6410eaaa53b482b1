import math
import torch
from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.d = hidden_dim
        self.w_qkv = nn.Parameter(torch.empty(hidden_dim, 3 * hidden_dim))
        self.b_qkv = nn.Parameter(torch.zeros(3 * hidden_dim))
        self.w_qkv.normal_(std=1 / math.sqrt(hidden_dim))

    def forward(self, x):
        qkv = x @ self.w_qkv + self.b_qkv
        q, k, v = qkv.tensor_split(3, dim=-1)
        att = (q @ k.mT) / math.sqrt(self.d)
        att = att.softmax(dim=-1)
        return att @ v
