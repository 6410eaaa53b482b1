import torch
import torch.nn.functional as F
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        init = lambda rows: nn.Parameter(nn.init.xavier_uniform_(torch.empty(rows, hidden_dim)))
        self.Wq, self.Wk, self.Wv, self.Wo = map(init, (hidden_dim, self.d, self.d, hidden_dim))

    def forward(self, x, attention_mask=None):
        q, k, v = F.linear(x, self.Wq).unflatten(-1, (self.h, -1)).movedim(2, 1), F.linear(x, self.Wk)[:, None], F.linear(x, self.Wv)[:, None]
        s = (q / self.d ** 0.5) @ k.transpose(-1, -2)
        s = s if attention_mask is None else s.masked_fill(attention_mask == 0, float("-inf"))
        return F.linear((s.softmax(-1) @ v).movedim(1, 2).flatten(-2), self.Wo)
