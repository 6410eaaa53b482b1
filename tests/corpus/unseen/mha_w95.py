import torch
from torch import nn


def _glorot(*shape):
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(*shape)))


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.H, self.D = num_heads, hidden_dim // num_heads
        self.Wq, self.Wk, self.Wv, self.Wo = (_glorot(hidden_dim, hidden_dim) for _ in range(4))
        self.drop = nn.Dropout(dropout)

    def heads(self, x, W):
        return (x @ W).unflatten(-1, (self.H, self.D)).permute(0, 2, 1, 3)   # B H T D

    def forward(self, x, attention_mask=None):
        q, k, v = self.heads(x, self.Wq), self.heads(x, self.Wk), self.heads(x, self.Wv)
        s = (q / self.D**0.5) @ k.transpose(2, 3)
        s = s.softmax(-1)
        if attention_mask is not None:
            s = s * attention_mask.to(s.dtype)
        ctx = self.drop(s) @ v
        return ctx.permute(0, 2, 1, 3).flatten(2) @ self.Wo
