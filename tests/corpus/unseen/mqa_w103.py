from torch import nn
import torch


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.H = num_heads
        self.D = hidden_dim // num_heads
        self.W = nn.Linear(hidden_dim, hidden_dim + self.D)
        self.O = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        H, D = self.H, self.D
        q, k, v = self.W(x).split([H * D, D, D], dim=-1)
        q = q.unflatten(-1, (H, D))
        # one k and one v for all h
        s = torch.einsum("bqhd,bkd->bhqk", q, k) * D ** -0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask.logical_not(), float("-inf"))
        y = torch.einsum("bhqk,bkd->bqhd", s.softmax(-1), v)
        return self.O(y.flatten(2))
