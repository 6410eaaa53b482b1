# wrong: v4 dropout-in-eval line 12, key-not-projected line 26
# fair: dropout-in-eval 12 27
import torch
import torch.nn as nn
import torch.nn.functional as F


def scaled_dot_product_attention(q, k, v, mask=None, p=0.0):
    s = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    if mask is not None:
        s = s.masked_fill(mask == 0, float("-inf"))
    a = F.dropout(s.softmax(dim=-1), p=p)
    return a @ v, a


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.p = dropout
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        q, k, v = self.q(x), x, self.v(x)
        out, _ = scaled_dot_product_attention(q, k, v, attention_mask, self.p)
        return self.o(out)
