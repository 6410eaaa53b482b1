# tiny gpt. the cache is a list with one dict per layer: {"k": ..., "v": ...}
import numpy as np
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, C, H):
        super().__init__()
        self.H, self.hd = H, C // H
        self.ln1, self.ln2 = nn.LayerNorm(C), nn.LayerNorm(C)
        self.wq = nn.Linear(C, C)
        self.wk = nn.Linear(C, C)
        self.wv = nn.Linear(C, C)
        self.wo = nn.Linear(C, C)
        self.ff1 = nn.Linear(C, 4 * C)
        self.ff2 = nn.Linear(4 * C, C)
        self.act = nn.GELU()

    def heads(self, a):
        return a.reshape(a.shape[0], a.shape[1], self.H, self.hd).swapaxes(1, 2)

    def forward(self, x, slot):
        B, T, C = x.shape
        n = self.ln1(x)
        q, k, v = self.heads(self.wq(n)), self.heads(self.wk(n)), self.heads(self.wv(n))
        if slot:
            k = torch.concatenate([slot["k"], k], axis=2)
            v = torch.concatenate([slot["v"], v], axis=2)
        slot["k"], slot["v"] = k, v
        S = k.shape[2]
        see = torch.from_numpy(np.tri(T, S, S - T, dtype=bool)).to(x.device)
        A = q @ k.swapaxes(2, 3) / np.sqrt(self.hd).item()
        A = torch.softmax(torch.where(see, A, -np.inf), -1)
        x = x + self.wo((A @ v).swapaxes(1, 2).reshape(B, T, C))
        return x + self.ff2(self.act(self.ff1(self.ln2(x))))


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.tok = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList([Layer(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        if cache is None:
            cache = [{} for _ in self.layers]
        else:
            cache = list(cache)
        n0 = cache[0]["k"].shape[2] if cache[0] else 0
        at = torch.arange(n0, n0 + tokens.shape[1], device=tokens.device)
        x = self.tok(tokens) + self.pos(at)
        for layer, slot in zip(self.layers, cache):
            x = layer(x, slot)
        return self.ln(x) @ self.tok.weight.T, cache


def generate(model, tokens, count):
    model.eval()
    out, cache, nxt = tokens, None, tokens
    with torch.no_grad():
        for _ in range(count):
            logits, cache = model(nxt, cache)
            nxt = logits[:, -1].argmax(-1)[:, np.newaxis]
            out = torch.concatenate([out, nxt], axis=1)
    return out
