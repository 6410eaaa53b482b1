# wrong: v1 softmax-wrong-axis line 13
import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, embed_dim):
        super().__init__()
        self.embed_dim = embed_dim
        self.q_linear = nn.Linear(embed_dim, embed_dim)
        self.k_linear = nn.Linear(embed_dim, embed_dim)
        self.v_linear = nn.Linear(embed_dim, embed_dim)
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        queries = self.q_linear(x)
        keys = self.k_linear(x)
        values = self.v_linear(x)
        scores = torch.bmm(queries, keys.transpose(1, 2)) / (self.embed_dim ** 0.5)
        attention = self.softmax(scores)
        return torch.bmm(attention, values)
