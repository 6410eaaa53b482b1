# wrong: v1 key-not-projected line 15
import torch
import torch.nn as nn
from math import sqrt


class SelfAttentionV1(nn.Module):
    def __init__(self, emb_dim):
        super().__init__()
        self.q_layer = nn.Linear(emb_dim, emb_dim)
        self.v_layer = nn.Linear(emb_dim, emb_dim)

    def forward(self, x):
        query = self.q_layer(x)
        key = x
        value = self.v_layer(x)
        attn = torch.softmax(torch.bmm(query, key.transpose(1, 2)) / sqrt(query.shape[-1]), dim=-1)
        return torch.bmm(attn, value)
