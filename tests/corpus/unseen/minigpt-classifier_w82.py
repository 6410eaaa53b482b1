import math

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.ln_a, self.ln_m = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x, hidden):
        b, n, c = x.shape
        h = self.ln_a(x)
        q, k, v = (f(h).reshape(b, n, self.heads, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(c // self.heads)
        s = s.masked_fill(hidden, torch.finfo(s.dtype).min)
        y = torch.einsum("bhij,bhjd->bihd", F.softmax(s, -1), v).reshape(b, n, c)
        x = x + self.o(y)
        return x + self.mlp(self.ln_m(x))


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList([Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln = nn.LayerNorm(hidden_dim)
        self.classify = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens, mask):
        real = mask.bool()
        n = tokens.shape[1]
        steps = torch.arange(n, device=tokens.device)
        first = real.int().argmax(dim=1, keepdim=True)
        places = (steps - first).clamp_min(0)

        hidden = ~real[:, None, None, :] | (steps[None, :] > steps[:, None])
        x = self.emb(tokens) + self.pos(places)
        for layer in self.layers:
            x = layer(x, hidden)
        x = self.ln(x).masked_fill(~real[..., None], 0.0)
        return self.classify(x.sum(1) / real.sum(1, keepdim=True))
