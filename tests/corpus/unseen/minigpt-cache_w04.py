import torch
import torch.nn as nn
import torch.nn.functional as F


class KV:
    """One slot per layer."""

    def __init__(self, n_layers):
        self.k = [None] * n_layers
        self.v = [None] * n_layers
        self.length = 0

    def put(self, i, k, v):
        if self.k[i] is not None:
            k = torch.cat([self.k[i], k], dim=-2)
            v = torch.cat([self.v[i], v], dim=-2)
        self.k[i], self.v[i] = k, v
        return k, v


class Block(nn.Module):
    def __init__(self, c, h):
        super().__init__()
        self.h = h
        self.n1, self.n2 = nn.LayerNorm(c), nn.LayerNorm(c)
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(c, c, bias=False) for _ in range(4))
        self.ff = nn.Sequential(nn.Linear(c, 4 * c), nn.GELU(), nn.Linear(4 * c, c))

    def forward(self, x, i, kv, keep):
        b, t, c = x.shape
        y = self.n1(x)
        q, k, v = (w(y).view(b, t, self.h, c // self.h).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        k, v = kv.put(i, k, v)
        a = (q @ k.transpose(2, 3)) * (c // self.h) ** -0.5
        a = a.masked_fill(~keep, float('-inf')).softmax(3) @ v
        x = x + self.wo(a.transpose(1, 2).reshape(b, t, c))
        return x + self.ff(self.n2(x))


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.E = nn.Embedding(vocab_size, hidden_dim)
        self.P = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(Block(hidden_dim, num_heads) for _ in range(num_layers))
        self.ln = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        t = tokens.shape[1]
        kv = cache or KV(len(self.blocks))
        old = kv.length
        kv.length = old + t
        where = torch.arange(old, old + t, device=tokens.device)
        keep = torch.arange(old + t, device=tokens.device) <= where[:, None]
        x = self.E(tokens) + self.P(where)
        for i, block in enumerate(self.blocks):
            x = block(x, i, kv, keep)
        return F.linear(self.ln(x), self.E.weight), kv


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    result = tokens
    cache = None
    for step in range(count):
        logits, cache = model(result if step == 0 else result[:, -1:], cache)
        result = torch.cat([result, logits[:, -1:].argmax(dim=2)], dim=1)
    return result
