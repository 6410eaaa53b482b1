# wrong: cross scale-by-length line 25
import torch
import torch.nn as nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    def __init__(self, d_model, nhead, dropout=0.1):
        super().__init__()
        self.nhead = nhead
        self.d_k = d_model // nhead
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)
        self.p = dropout

    def forward(self, query, key, value, mask=None):
        B, Tq, D = query.shape
        Tk = key.shape[1]
        Q = self.wq(query).view(B, Tq, self.nhead, self.d_k).transpose(1, 2)
        K = self.wk(key).view(B, Tk, self.nhead, self.d_k).transpose(1, 2)
        V = self.wv(value).view(B, Tk, self.nhead, self.d_k).transpose(1, 2)
        # 缩放因子
        S = Q @ K.transpose(-1, -2) / Tk ** 0.5
        if mask is not None:
            S = S.masked_fill(mask[:, None] == 0, float("-inf"))
        A = F.dropout(F.softmax(S, dim=-1), self.p, self.training)
        return self.wo((A @ V).transpose(1, 2).reshape(B, Tq, D))
