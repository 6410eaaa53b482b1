# wrong: mha length-fixed line 11
# fair: length-fixed 16
import torch, math
from torch import nn
class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim); self.k = nn.Linear(hidden_dim, hidden_dim); self.v = nn.Linear(hidden_dim, hidden_dim); self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("ones", torch.ones(128, 128))
    def forward(self, x, attention_mask=None):
        b, t, c = x.shape
        s = lambda y: y.view(b, t, self.h, -1).transpose(1, 2)
        q, k, v = s(self.q(x)), s(self.k(x)), s(self.v(x))
        a = q @ k.mT / math.sqrt(c // self.h) * self.ones[:t, :t]
        if attention_mask is not None:
            a = a.masked_fill(attention_mask == 0, -1e9)
        return self.o((self.drop(a.softmax(-1)) @ v).transpose(1, 2).reshape(b, t, c))
