# right: v3
import torch
from torch import nn
from torch.nn import functional as F


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        self.p = dropout
        self.wqkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        xq, xk, xv = self.wqkv(x).split(x.size(-1), dim=-1)
        scores = torch.bmm(xq, xk.mT) * xq.size(-1) ** -0.5
        if attention_mask is not None:
            lowest = torch.finfo(scores.dtype).min
            scores = torch.where(attention_mask.bool(), scores, lowest)
        weights = F.dropout(F.softmax(scores, dim=-1), p=self.p, training=self.training)
        return self.wo(torch.bmm(weights, xv))
