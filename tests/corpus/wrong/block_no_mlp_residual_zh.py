# wrong: block residual-missing line 35
import torch
from torch import nn


class TransformerBlock(nn.Module):
    """一个类写完"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.d = hidden_dim // num_heads
        self.ln_1 = nn.LayerNorm(hidden_dim)
        self.ln_2 = nn.LayerNorm(hidden_dim)
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.fc1 = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.fc2 = nn.Linear(4 * hidden_dim, hidden_dim)

    def forward(self, x):
        b, t, c = x.size()
        h = self.ln_1(x)
        q = self.wq(h).view(b, t, self.num_heads, self.d).transpose(1, 2)
        k = self.wk(h).view(b, t, self.num_heads, self.d).transpose(1, 2)
        v = self.wv(h).view(b, t, self.num_heads, self.d).transpose(1, 2)
        s = (q @ k.transpose(-2, -1)) / self.d ** 0.5
        mask = torch.tril(torch.ones(t, t, device=x.device))
        s = s.masked_fill(mask == 0, float('-inf'))
        o = (torch.softmax(s, -1) @ v).transpose(1, 2).contiguous().view(b, t, c)
        x = x + self.wo(o)
        h = self.ln_2(x)
        h = torch.nn.functional.gelu(self.fc1(h))
        return self.fc2(h)
