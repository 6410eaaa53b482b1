# right: mla
import torch
import torch.nn as nn
from torch.nn import functional as F


def rope(x, start):
    # x is (B, T, R)
    B, T, R = x.shape
    p = torch.arange(start, start + T, device=x.device).unsqueeze(1).double()
    i = torch.arange(R // 2, device=x.device).unsqueeze(0).double()
    a = p * 10000.0 ** (-2 * i / R)
    c, s = a.cos().to(x.dtype), a.sin().to(x.dtype)
    l, r = x[:, :, : R // 2], x[:, :, R // 2 :]
    return torch.cat([l * c - r * s, l * s + r * c], dim=2)


class Head(nn.Module):
    """ one head of latent attention """

    def __init__(self, n_embd, head_size, rope_size, latent_size):
        super().__init__()
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.query_rope = nn.Linear(n_embd, rope_size, bias=False)
        self.key = nn.Linear(latent_size, head_size, bias=False)
        self.value = nn.Linear(latent_size, head_size, bias=False)

    def forward(self, x, c, kr):
        T, S = x.shape[1], c.shape[1]
        q = self.query(x)  # (B,T,hs)
        qr = rope(self.query_rope(x), S - T)  # (B,T,rs)
        k = self.key(c)  # (B,S,hs)
        q, k = torch.cat([q, qr], -1), torch.cat([k, kr], -1)
        wei = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5  # (B,T,S)
        wei = wei.masked_fill(torch.tril(torch.ones(S, S, device=x.device))[-T:] == 0, float('-inf'))
        wei = F.softmax(wei, dim=-1)
        return wei @ self.value(c)  # (B,T,hs)


class MultiHeadLatentAttention(nn.Module):
    """ multiple heads in parallel, one latent """

    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.key_rope = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.heads = nn.ModuleList([Head(hidden_dim, head_dim, rope_dim, latent_dim) for _ in range(num_heads)])
        self.proj = nn.Linear(head_dim * num_heads, hidden_dim)

    def forward(self, x, cache=None):
        c = self.down(x)
        if cache is None:
            kr = rope(self.key_rope(x), 0)
        else:
            kr = rope(self.key_rope(x), cache[0].shape[1])
            c = torch.cat([cache[0], c], dim=1)
            kr = torch.cat([cache[1], kr], dim=1)
        out = torch.cat([h(x, c, kr) for h in self.heads], dim=-1)
        return self.proj(out), [c, kr]
