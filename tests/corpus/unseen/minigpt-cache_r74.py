# A cache of my own: one tensor (layers, 2, batch, heads, length, head_dim).
import math

import torch
from torch import nn
from torch.nn import functional as fn


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.h = num_heads
        self.emb = nn.Parameter(0.02 * torch.randn(vocab_size, hidden_dim))
        self.wpe = nn.Parameter(0.02 * torch.randn(hidden_dim, block_size))
        for n in range(num_layers):
            for name, rows in [("qkv", 3), ("out", 1), ("up", 4), ("down", 4)]:
                w = torch.randn(rows * hidden_dim, hidden_dim) / math.sqrt(hidden_dim)
                self.register_parameter(f"l{n}_{name}", nn.Parameter(w))
        self.gains = nn.Parameter(torch.ones(2 * num_layers + 1, hidden_dim))
        self.num_layers = num_layers

    def w(self, n, name):
        return self.get_parameter(f"l{n}_{name}")

    def norm(self, x, which):
        return fn.layer_norm(x, x.shape[-1:], eps=1e-5) * self.gains[which]

    def forward(self, tokens, cache=None):
        past = 0 if cache is None else cache.size(4)
        b, t = tokens.shape
        stream = self.emb[tokens] + self.wpe[:, past:past + t].T
        rows = []
        for n in range(self.num_layers):
            q, *kv = fn.linear(self.norm(stream, 2 * n), self.w(n, "qkv")).view(b, t, 3, self.h, -1).permute(2, 0, 3, 1, 4)
            kv = torch.stack(kv)
            if past:
                kv = torch.cat([cache[n], kv], dim=3)
            rows.append(kv)
            k, v = kv
            s = q @ k.transpose(2, 3) * q.size(3) ** -0.5
            s = s.masked_fill(torch.ones(t, past + t, device=s.device).tril(past) == 0, -math.inf)
            y = (torch.softmax(s, dim=3) @ v).transpose(1, 2).reshape(b, t, -1)
            stream = stream + y @ self.w(n, "out")
            inner = fn.gelu(fn.linear(self.norm(stream, 2 * n + 1), self.w(n, "up")))
            stream = stream + inner @ self.w(n, "down")
        return self.norm(stream, -1) @ self.emb.t(), torch.stack(rows)


def steps(model, new, count):
    cache = None
    while count > 0:
        logits, cache = model(new, cache)
        new = logits[:, -1, :].topk(1, dim=-1).indices
        yield new
        count -= 1


def generate(model, tokens, count):
    with torch.no_grad():
        return torch.cat((tokens, *steps(model.eval(), tokens, count)), dim=1)
