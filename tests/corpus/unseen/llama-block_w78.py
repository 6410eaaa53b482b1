import torch, math
from torch import nn
from torch.nn import functional as F


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        hd = hidden_dim // num_heads
        self.cfg = (num_heads, num_kv_heads, hd)
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.kv = nn.Linear(hidden_dim, 2 * num_kv_heads * hd, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w1 = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.w2 = nn.Linear(mlp_dim, hidden_dim, bias=False)
        self.w3 = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.n1 = nn.Parameter(torch.ones(hidden_dim))
        self.n2 = nn.Parameter(torch.ones(hidden_dim))

    def rms(self, x, w):
        return x / torch.sqrt((x * x).mean(dim=-1, keepdim=True) + 1e-5) * w

    def apply_rope(self, x, cos, sin):
        a, b = x[..., 0::2], x[..., 1::2]
        y = torch.stack((a * cos - b * sin, b * cos + a * sin), dim=-1)
        return y.flatten(-2)

    def attention(self, x, cos, sin):
        H, G, hd = self.cfg
        B, T, _ = x.shape
        q = self.q(x).view(B, T, H, hd).permute(0, 2, 1, 3)
        k, v = self.kv(x).view(B, T, 2, G, hd).permute(2, 0, 3, 1, 4)
        q = self.apply_rope(q, cos, sin).view(B, G, H // G, T, hd)
        k = self.apply_rope(k, cos, sin).unsqueeze(2)
        att = q @ k.transpose(-1, -2) / math.sqrt(hd)
        att = att.masked_fill(torch.triu(torch.ones(T, T, device=x.device), 1).bool(), -math.inf)
        y = F.softmax(att, -1) @ v.unsqueeze(2)
        y = y.view(B, H, T, hd).permute(0, 2, 1, 3).reshape(B, T, H * hd)
        return self.o(y)

    def forward(self, x, cos, sin):
        h = x + self.attention(self.rms(x, self.n1), cos, sin)
        u = self.rms(h, self.n2)
        return h + self.w2(F.silu(self.w1(u)) * self.w3(u))
