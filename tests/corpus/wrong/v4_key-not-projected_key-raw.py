# wrong: v4 key-not-projected line 16
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        xq, xk, xv = self.wq(x), x, self.wv(x)
        scores = torch.matmul(xq, xk.transpose(1, 2)) / (xq.size(-1) ** 0.5)
        if attention_mask is not None:
            scores = scores + torch.where(attention_mask == 0, float("-inf"), 0.0).to(scores.dtype)
        scores = scores.float().softmax(dim=-1).type_as(xq)
        return self.wo(torch.matmul(self.dropout(scores), xv))
