import torch
import torch.nn.functional as F
from torch import nn


class Cache:
    """Keys and values of every layer, of all positions so far."""

    def __init__(self, layers=()):
        self.layers = layers

    @property
    def length(self):
        return self.layers[0][0].shape[2] if self.layers else 0

    def extended(self, layer, key, value):
        if layer < len(self.layers):
            past_key, past_value = self.layers[layer]
            key = torch.cat([past_key, key], dim=2)
            value = torch.cat([past_value, value], dim=2)
        layers = (*self.layers[:layer], (key, value), *self.layers[layer + 1:])
        return Cache(layers), key, value


class GPTBlock(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.ln_1, self.ln_2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x, cache, index, mask):
        b, n, c = x.shape
        h = self.ln_1(x)
        q, k, v = (f(h).view(b, n, self.heads, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        cache, k, v = cache.extended(index, k, v)
        att = q @ k.transpose(2, 3) * self.scale
        if mask is not None:
            att = att.masked_fill(mask, float("-inf"))
        x = x + self.o((F.softmax(att, dim=-1) @ v).transpose(1, 2).reshape(b, n, c))
        return x + self.mlp(self.ln_2(x)), cache


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.h = nn.ModuleList([GPTBlock(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        n = tokens.size(1)
        mask = None
        if cache is None:
            # prefill; in decoding the newest position may see everything
            mask = torch.ones(n, n, dtype=torch.bool, device=tokens.device).triu(1)
        cache = cache if cache is not None else Cache()
        past = cache.length
        x = self.wte(tokens) + self.wpe(torch.arange(past, past + n, device=tokens.device))
        for index, block in enumerate(self.h):
            x, cache = block(x, cache, index, mask)
        return F.linear(self.ln_f(x), self.wte.weight), cache


@torch.inference_mode()
def generate(model, tokens, count):
    model.eval()
    text, feed, cache = tokens, tokens, None
    for _ in range(count):
        logits, cache = model(feed, cache)
        feed = logits[:, -1].argmax(-1, keepdim=True)
        text = torch.cat([text, feed], dim=1)
    return text
