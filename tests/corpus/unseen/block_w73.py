import torch, math
from torch import nn
import torch.nn.functional as F

class LN(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.w = nn.Parameter(torch.ones(d))
        self.b = nn.Parameter(torch.zeros(d))

    def forward(self, x):
        m = x.mean(-1, keepdim=True)
        v = x.var(-1, keepdim=True)
        return (x - m) / torch.sqrt(v + 1e-5) * self.w + self.b

class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.n1, self.n2 = LN(hidden_dim), LN(hidden_dim)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.f1 = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.f2 = nn.Linear(4 * hidden_dim, hidden_dim)

    def att(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.h, C // self.h).permute(2, 0, 3, 1, 4)
        a = q @ k.mT / math.sqrt(C // self.h)
        a = a + torch.full((T, T), -math.inf, device=x.device, dtype=a.dtype).triu(1)
        return self.o((a.softmax(-1) @ v).transpose(1, 2).reshape(B, T, C))

    def forward(self, x):
        x = x + self.att(self.n1(x))
        x = x + self.f2(F.gelu(self.f1(self.n2(x))))
        return x
