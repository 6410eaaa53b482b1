import torch
import torch.nn.functional as F
from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)

    @property
    def n_embd(self):
        return self.c_attn.weight.size(0)

    def forward(self, x):
        q, k, v = torch.tensor_split(self.c_attn(x), 3, dim=-1)
        att = q @ k.transpose(-1, -2)
        att = att * self.n_embd ** -0.5
        return F.softmax(att, dim=-1) @ v
