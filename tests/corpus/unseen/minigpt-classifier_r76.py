# Padding is taken out before the body: each text is packed to the left, so that no place, key or mean
# can tell where it stood. What is left behind the text is hidden by causality and by the mean.
import torch
from torch import nn


class PreNorm(nn.Module):
    def __init__(self, c, fn):
        super().__init__()
        self.norm, self.fn = nn.LayerNorm(c), fn

    def forward(self, x):
        return x + self.fn(self.norm(x))


class Attention(nn.Module):
    def __init__(self, c, heads):
        super().__init__()
        self.heads, self.d = heads, c // heads
        self.q, self.kv, self.o = nn.Linear(c, c), nn.Linear(c, 2 * c), nn.Linear(c, c)

    def forward(self, x):
        t = x.shape[1]
        q = self.q(x).unflatten(2, (self.heads, self.d))
        k, v = self.kv(x).unflatten(2, (self.heads, 2, self.d)).unbind(3)
        s = torch.einsum("bqhd,bkhd->bhqk", q, k) / self.d ** 0.5
        later = torch.triu(torch.ones(t, t, dtype=torch.bool, device=x.device), diagonal=1)
        w = torch.softmax(s.masked_fill(later, float("-inf")), dim=-1)
        return self.o(torch.einsum("bhqk,bkhd->bqhd", w, v).flatten(2))


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        c = hidden_dim
        self.words = nn.Embedding(vocab_size, c)
        self.place = nn.Parameter(torch.randn(block_size, c))
        self.body = nn.Sequential()
        for i in range(num_layers):
            mlp = nn.Sequential(nn.Linear(c, 4 * c), nn.GELU(), nn.Linear(4 * c, c))
            self.body.add_module(f"attention{i}", PreNorm(c, Attention(c, num_heads)))
            self.body.add_module(f"mlp{i}", PreNorm(c, mlp))
        self.body.add_module("end", nn.LayerNorm(c))
        self.head = nn.Linear(c, num_classes)

    def forward(self, tokens, mask):
        real = mask.bool()
        count = real.sum(1)
        left, _ = torch.sort(real.int(), dim=1, descending=True)
        where = torch.argsort(real.int(), dim=1, descending=True, stable=True)
        packed = torch.gather(tokens, 1, where)[:, : int(count.max())]
        x = self.body(self.words(packed) + self.place[: packed.shape[1]])
        share = left[:, : packed.shape[1]].to(x.dtype) / count.unsqueeze(1).to(x.dtype)
        return self.head(torch.einsum("bt,btc->bc", share, x))
