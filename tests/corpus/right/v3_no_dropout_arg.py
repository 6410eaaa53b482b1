# right: v3
import torch
from torch import nn

DROP = 0.1


class SelfAttentionV3(nn.Module):
    def __init__(self, emb):
        super().__init__()
        self.wq = nn.Linear(emb, emb, bias=False)
        self.wk = nn.Linear(emb, emb, bias=False)
        self.wv = nn.Linear(emb, emb, bias=False)
        self.wo = nn.Linear(emb, emb, bias=False)
        self.attn_dropout = nn.Dropout(DROP)

    def scores(self, q, k):
        return torch.matmul(q, k.transpose(-1, -2)) / q.shape[-1] ** 0.5

    def forward(self, x, mask=None):
        s = self.scores(self.wq(x), self.wk(x))
        if mask is not None:
            s[mask == 0] = float("-inf")
        return self.wo(self.attn_dropout(s.softmax(-1)) @ self.wv(x))
