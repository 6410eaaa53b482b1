# right: v3
# マスク付きソフトマックスを自分で書く版
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.proj = nn.Sequential(nn.Linear(hidden_dim, hidden_dim))
        self.dropout = nn.Dropout(p=dropout)

    @staticmethod
    def masked_softmax(s, keep):
        s = s.masked_fill(keep.logical_not(), float("-inf"))
        peak = s.max(dim=-1, keepdim=True).values.clamp(min=-1e4)  # 空の行でも nan にしない
        e = torch.exp(s - peak.detach())
        return e / e.sum(dim=-1, keepdim=True).clamp(min=1e-6)

    def forward(self, x, attention_mask=None):
        q = self.to_q(x)
        s = q @ self.to_k(x).transpose(1, 2) / q.size(-1) ** 0.5
        if attention_mask is None:
            attention_mask = torch.ones_like(s)
        a = self.masked_softmax(s, attention_mask)
        return self.proj(self.dropout(a) @ self.to_v(x))
