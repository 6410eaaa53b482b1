# attn-kata: mha
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    # ported from an old TF transformer
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.dense_q = nn.Linear(hidden_dim, hidden_dim)
        self.dense_k = nn.Linear(hidden_dim, hidden_dim)
        self.dense_v = nn.Linear(hidden_dim, hidden_dim)
        self.dense_o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def _split_heads(self, t):
        # (N, T, C) -> (h*N, T, C/h)
        return torch.cat(t.chunk(self.num_heads, dim=2), dim=0)

    def forward(self, x, attention_mask=None):
        N, T, C = x.shape
        Q_ = self._split_heads(self.dense_q(x))
        K_ = self._split_heads(self.dense_k(x))
        V_ = self._split_heads(self.dense_v(x))

        outputs = torch.matmul(Q_, K_.transpose(1, 2))      # (h*N, T, T)
        outputs = outputs / (K_.size(-1) ** 0.5)

        if attention_mask is not None:
            full = attention_mask.expand(N, self.num_heads, T, T)
            full = full.reshape(N * self.num_heads, T, T)
            outputs = outputs.masked_fill(full == 0, float("-inf"))

        outputs = self.drop(F.softmax(outputs, dim=-1))
        outputs = torch.matmul(outputs, V_)                 # (h*N, T, C/h)
        outputs = torch.cat(outputs.chunk(self.num_heads, dim=0), dim=2)
        return self.dense_o(outputs)
