# wrong: mha scale-missing line 21
import torch
import torch.nn as nn

class MHA(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        b, s, _ = x.size()
        q = self.q(x).view(b, s, self.h, -1).transpose(1, 2)
        k = self.k(x).view(b, s, self.h, -1).permute(0, 2, 3, 1)
        v = self.v(x).view(b, s, self.h, -1).transpose(1, 2)
        w = torch.matmul(q, k)
        if attention_mask is not None:
            w = w.masked_fill(attention_mask == 0, float('-inf'))
        w = self.drop(torch.softmax(w, dim=-1))
        return self.o(torch.matmul(w, v).transpose(1, 2).contiguous().view(b, s, -1))
