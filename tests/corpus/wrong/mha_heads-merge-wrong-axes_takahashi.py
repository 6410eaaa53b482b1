# wrong: mha heads-merge-wrong-axes line 27
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.1):
        super().__init__()
        self.H = num_heads
        self.d = d_model // num_heads
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def heads(self, t):
        return t.view(t.size(0), -1, self.H, self.d).permute(0, 2, 1, 3)

    def forward(self, x, mask=None):
        q, k, v = self.heads(self.wq(x)), self.heads(self.wk(x)), self.heads(self.wv(x))
        s = torch.matmul(q, k.permute(0, 1, 3, 2)) / self.d ** 0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, float("-inf"))
        y = torch.matmul(self.dropout(torch.softmax(s, -1)), v)
        # ヘッドを結合する
        y = y.permute(0, 1, 3, 2).reshape(x.shape)
        return self.wo(y)
