# attn-kata: minigpt-cache
from __future__ import annotations
import torch
import torch.nn.functional as F
from torch import nn


class Blk(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.pre = nn.LayerNorm(d)
        self.in_w = nn.Linear(d, 3 * d)
        self.out_w = nn.Linear(d, d)
        self.mid = nn.LayerNorm(d)
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x, past):
        q, k, v = (t.unflatten(-1, (self.h, -1)).transpose(1, 2)
                   for t in self.in_w(self.pre(x)).chunk(3, -1))
        if past is not None:
            k = torch.cat((past[0], k), 2)
            v = torch.cat((past[1], v), 2)
        n, m = q.size(2), k.size(2)
        s = q @ k.mT / q.size(-1) ** 0.5
        s = s.masked_fill(torch.ones(n, m, device=x.device, dtype=torch.bool).triu(m - n + 1), -torch.inf)
        x = x + self.out_w((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.mid(x)))), (k, v)


class CachedGPT(nn.Module):
    """my own cache: a tuple with one (k, v) per layer"""

    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.tok = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList([Blk(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        cache = cache or (None,) * len(self.blocks)
        done = cache[0][0].size(2) if cache[0] is not None else 0
        places = torch.arange(done, done + tokens.size(1), device=tokens.device)
        x = self.tok(tokens) + self.pos(places)
        new = []
        for blk, past in zip(self.blocks, cache):
            x, kv = blk(x, past)
            new.append(kv)
        return self.ln(x) @ self.tok.weight.T, tuple(new)


@torch.inference_mode()
def generate(model, tokens, count):
    model.eval()
    cache, feed, text = None, tokens, [tokens]
    for _ in range(count):
        logits, cache = model(feed, cache)
        feed = logits[:, -1:].argmax(-1)
        text.append(feed)
    return torch.cat(text, dim=1)
