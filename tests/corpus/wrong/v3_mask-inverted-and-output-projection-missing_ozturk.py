# wrong: v3 mask-inverted line 17, output-projection-missing line 19
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.dropout = dropout
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).tensor_split(3, dim=-1)
        s = torch.baddbmm(torch.zeros(1, 1, 1).to(x), q, k.mT, beta=0, alpha=q.size(-1) ** -0.5)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 1, float("-inf"))
        w = F.dropout(s.softmax(-1), self.dropout, self.training)
        return torch.bmm(w, v)
