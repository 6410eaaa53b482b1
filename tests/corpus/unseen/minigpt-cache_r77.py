import itertools

import torch
from torch import nn


def export(method):
    return method


class Past:
    """Read-only: one (key, value) pair per layer; `grow` gives another Past."""

    def __init__(self, pairs=()):
        self._pairs = tuple(pairs)

    def __getitem__(self, i):
        return self._pairs[i] if i < len(self._pairs) else None

    @property
    def length(self):
        return self._pairs[0][0].size(1) if self._pairs else 0


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, x, past):
        q, k, v = (p(x).unflatten(-1, (self.heads, -1)) for p in (self.q, self.k, self.v))
        if past is not None:
            k, v = (torch.cat(pair, dim=1) for pair in zip(past, (k, v)))
        att = torch.einsum("bqhd,bkhd->bhqk", q, k) * self.scale
        n, m = att.shape[-2:]
        seen = torch.ones(n, m, dtype=torch.bool, device=x.device).tril(m - n)
        att = torch.where(seen, att, float("-inf")).softmax(-1)
        return self.o(torch.einsum("bhqk,bkhd->bqhd", att, v).flatten(2)), (k, v)


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = Attention(dim, heads)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x, past):
        y, pair = self.attn(self.ln_1(x), past)
        x = x + y
        return x + self.mlp(self.ln_2(x)), pair


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.wte, self.wpe = nn.Embedding(vocab_size, hidden_dim), nn.Embedding(block_size, hidden_dim)
        self.h = nn.ModuleList(Block(hidden_dim, num_heads) for _ in range(num_layers))
        self.ln_f = nn.LayerNorm(hidden_dim)
        self.head = nn.Linear(hidden_dim, vocab_size, bias=False)
        self.head.weight = self.wte.weight  # tied

    @export
    def forward(self, tokens, cache=None):
        past = Past() if cache is None else cache
        places = past.length + torch.arange(tokens.size(1), device=tokens.device)
        x, pairs = self.wte(tokens) + self.wpe(places), []
        for i, block in enumerate(self.h):
            x, pair = block(x, past[i])
            pairs.append(pair)
        return self.head(self.ln_f(x)), Past(pairs)


def greedy(model, tokens):
    """Endless; each item is one column of new tokens."""
    cache = None
    while True:
        logits, cache = model(tokens, cache)
        tokens = logits[:, -1].argmax(-1, keepdim=True)
        yield tokens


@export
def generate(model, tokens, count):
    model.eval()
    with torch.no_grad():
        return torch.cat([tokens, *itertools.islice(greedy(model, tokens), count)], dim=1)
