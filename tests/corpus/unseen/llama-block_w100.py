import torch
from torch import nn
from torch.nn import functional as F


class FeedForward(nn.Module):
    def __init__(self, dim, inner):
        super().__init__()
        self.w1 = nn.Linear(dim, inner, bias=False)
        self.w2 = nn.Linear(dim, inner, bias=False)
        self.w3 = nn.Linear(dim, inner, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Attention(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads):
        super().__init__()
        self.n_heads, self.n_kv_heads, self.hd = n_heads, n_kv_heads, dim // n_heads
        self.wq = nn.Linear(dim, n_heads * self.hd, bias=False)
        self.wk = nn.Linear(dim, n_kv_heads * self.hd, bias=False)
        self.wv = nn.Linear(dim, n_kv_heads * self.hd, bias=False)
        self.wo = nn.Linear(n_heads * self.hd, dim, bias=False)

    def forward(self, x, cos, sin):
        b, t, _ = x.shape
        cos, sin = (f.to(x.dtype)[:, None, :] for f in (cos, sin))

        def turn(z):
            lo, hi = z[..., : self.hd // 2], z[..., self.hd // 2 :]
            return torch.cat((lo * cos - hi * sin, hi * cos + lo * sin), -1)

        q = turn(self.wq(x).view(b, t, self.n_heads, self.hd)).view(b, t, self.n_kv_heads, -1, self.hd)
        k = turn(self.wk(x).view(b, t, self.n_kv_heads, self.hd))
        v = self.wv(x).view(b, t, self.n_kv_heads, self.hd)
        att = torch.einsum("btgrd,bsgd->bgrts", q, k) * self.hd**-0.5
        att = att + torch.full((t, t), float("-inf"), device=x.device, dtype=x.dtype).triu(1)
        y = torch.einsum("bgrts,bsgd->btgrd", att.softmax(-1), v)
        return self.wo(y.reshape(b, t, -1))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, mlp_dim):
        super().__init__()
        self.attention = Attention(hidden_dim, num_heads, num_kv_heads)
        self.feed_forward = FeedForward(hidden_dim, mlp_dim)
        self.attention_norm = nn.RMSNorm(hidden_dim, eps=1e-5)
        self.ffn_norm = nn.RMSNorm(hidden_dim, eps=1e-5)

    def forward(self, x, cos, sin):
        h = x + self.attention(self.attention_norm(x), cos, sin)
        return h + self.feed_forward(self.ffn_norm(h))
