# wrong: v3 mask-fill-zero line 15
import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.wq, self.wk, self.wv, self.wo = [nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(4)]
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        s = torch.baddbmm(x.new_zeros(1), self.wq(x), self.wk(x).mT, alpha=x.shape[-1] ** -0.5)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, 0.0)
        p = self.dropout(s.softmax(dim=-1))
        return self.wo(torch.bmm(p, self.wv(x)))
