# wrong: v3 mask-multiplied line 24
import torch
import torch.nn as nn
import torch.nn.functional as F


def _init(n):
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(n, n)))


class AttentionF(nn.Module):
    def __init__(self, n_units, dropout=0.1):
        super().__init__()
        self.w_q, self.w_k, self.w_v, self.w_o = (_init(n_units) for _ in range(4))
        self.b_o = nn.Parameter(torch.zeros(n_units))
        self.p = dropout

    def forward(self, x, attention_mask=None):
        q = F.linear(x, self.w_q) * x.size(-1) ** -0.5
        k = F.linear(x, self.w_k)
        v = F.linear(x, self.w_v)
        att = q @ k.mT
        if attention_mask is not None:
            att = att * attention_mask
        att = F.softmax(att, dim=-1)
        att = F.dropout(att, p=self.p, training=self.training)
        return F.linear(att @ v, self.w_o, self.b_o)
