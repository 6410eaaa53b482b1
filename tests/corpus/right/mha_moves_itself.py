# right: mha remarks: nan-on-empty-row
import torch, torch.nn as nn, math
import torch.nn.functional as F
class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.dh = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim); self.k = nn.Linear(hidden_dim, hidden_dim); self.v = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to("cuda" if torch.cuda.is_available() else "cpu")
    def forward(self, x, mask=None):
        B, T, C = x.shape
        q, k, v = self.q(x), self.k(x), self.v(x)
        q, k, v = (t.view(B, T, self.h, self.dh).transpose(1, 2) for t in (q, k, v))
        att = q @ k.transpose(-2, -1) * self.dh ** -0.5
        if mask is not None:
            att = att.masked_fill(mask == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = att @ v
        return self.out(y.transpose(1, 2).reshape(B, T, C))
