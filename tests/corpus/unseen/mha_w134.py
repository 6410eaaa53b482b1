import torch
import torch.nn.functional as F
from torch import nn


class MultiHeadAttention(nn.Module):
    """Heads are folded into the batch, so that everything is a bmm over 3-D tensors.

    N: batch, T: length, C: width, h: heads
    """

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.p = dropout
        self.Q = nn.Linear(hidden_dim, hidden_dim)
        self.K = nn.Linear(hidden_dim, hidden_dim)
        self.V = nn.Linear(hidden_dim, hidden_dim)
        self.O = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        N, T, C = x.shape
        h = self.h
        # Split and concat
        Q_ = torch.cat(torch.chunk(self.Q(x), h, dim=2), dim=0)  # (h*N, T, C/h)
        K_ = torch.cat(torch.chunk(self.K(x), h, dim=2), dim=0)  # (h*N, T, C/h)
        V_ = torch.cat(torch.chunk(self.V(x), h, dim=2), dim=0)  # (h*N, T, C/h)
        # Multiplication and scale
        outputs = torch.bmm(Q_, K_.transpose(1, 2)) / (C // h) ** 0.5  # (h*N, T, T)
        # Masking
        if attention_mask is not None:
            masks = attention_mask.expand(N, h, T, T).reshape(h * N, T, T)  # (h*N, T, T)
            outputs = outputs.masked_fill(masks == 0, torch.finfo(outputs.dtype).min)
        # Activation
        outputs = F.softmax(outputs, dim=2)
        outputs = F.dropout(outputs, self.p, self.training)
        # Weighted sum
        outputs = torch.bmm(outputs, V_)  # (h*N, T, C/h)
        # Restore shape
        outputs = torch.cat(torch.chunk(outputs, h, dim=0), dim=2)  # (N, T, C)
        return self.O(outputs)
