from torch import nn
import torch, math


class SelfAttentionV4(nn.Module):

    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__()
        self.d = hidden_dim
        self.Wq = nn.Linear(self.d, self.d)
        self.Wk = nn.Linear(self.d, self.d)
        self.Wv = nn.Linear(self.d, self.d)
        self.Wo = nn.Linear(self.d, self.d)
        self.drop = nn.Dropout(dropout)

    def scores(self, x, mask):
        s = self.Wq(x) @ self.Wk(x).transpose(1, 2)
        s = s / math.sqrt(self.d)
        if mask is not None:
            s = s.masked_fill(mask == 0, torch.finfo(s.dtype).min)
        return s

    def forward(self, x, attention_mask=None):
        s = self.scores(x, attention_mask)
        a = torch.softmax(self.drop(s), dim=-1)
        return self.Wo(a @ self.Wv(x))
