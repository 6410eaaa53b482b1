import torch
import torch.nn.functional as F
from torch import nn


class Layer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x, bias):
        q, k, v = self.qkv(self.ln_1(x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        s = q @ k.mT * q.shape[-1] ** -0.5 + bias
        x = x + self.proj((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
        return x + self.mlp(self.ln_2(x))


class Body(nn.Module):
    def __init__(self, vocab, block_size, dim, heads, depth):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocab, dim), nn.Embedding(block_size, dim)
        self.layers = nn.ModuleList(Layer(dim, heads) for _ in range(depth))
        self.ln_f = nn.LayerNorm(dim)

    def forward(self, tokens, real):
        n = tokens.shape[1]
        # text that is padded on the left starts later
        first = real.int().argmax(dim=1, keepdim=True)
        places = (torch.arange(n, device=tokens.device) - first).clamp(min=0)
        x = self.wte(tokens) + self.wpe(places)
        seen = torch.ones(n, n, dtype=torch.bool, device=tokens.device).tril() & real[:, None, None]
        bias = torch.zeros(seen.shape, dtype=x.dtype, device=x.device).masked_fill(~seen, torch.finfo(x.dtype).min / 2)
        for layer in self.layers:
            x = layer(x, bias)
        return self.ln_f(x)


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        self.body = Body(vocab_size, block_size, hidden_dim, num_heads, num_layers)
        self.head = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens, mask):
        real = mask.bool()
        vectors = self.body(tokens, real)
        weights = real[..., None].to(vectors.dtype)
        return self.head((vectors * weights).sum(1) / weights.sum(1))
