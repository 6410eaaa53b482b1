"""Small GPT, all layers stacked in raw parameters; the cache is one array (L, 2, B, H, S, d)."""
import math

import torch
import torch.nn.functional as F
from torch import nn


def P(*shape, std=0.02):
    return nn.Parameter(torch.randn(*shape) * std)


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        L, C = num_layers, hidden_dim
        self.block_size, self.H, self.L = block_size, num_heads, L
        self.wte, self.wpe = P(vocab_size, C), P(block_size, C)
        self.ln1_g, self.ln1_b = nn.Parameter(torch.ones(L, C)), nn.Parameter(torch.zeros(L, C))
        self.ln2_g, self.ln2_b = nn.Parameter(torch.ones(L, C)), nn.Parameter(torch.zeros(L, C))
        self.lnf_g, self.lnf_b = nn.Parameter(torch.ones(C)), nn.Parameter(torch.zeros(C))
        self.qkv = P(L, 3 * C, C)
        self.proj = P(L, C, C)
        self.up, self.up_b = P(L, 4 * C, C), nn.Parameter(torch.zeros(L, 4 * C))
        self.down, self.down_b = P(L, C, 4 * C), nn.Parameter(torch.zeros(L, C))

    def attend(self, x, l, past):
        B, T, C = x.shape
        q, k, v = F.linear(x, self.qkv[l]).reshape(B, T, 3, self.H, C // self.H).permute(2, 0, 3, 1, 4)
        if past is not None:
            k = torch.concatenate([past[0], k], axis=2)
            v = torch.concatenate([past[1], v], axis=2)
        S = k.shape[2]
        rows = torch.arange(S - T, S, device=x.device)[:, None]
        cols = torch.arange(S, device=x.device)[None, :]
        A = q @ k.swapaxes(-1, -2) / math.sqrt(C // self.H)
        A = torch.softmax(torch.where(cols <= rows, A, -torch.inf), -1)
        y = (A @ v).swapaxes(1, 2).reshape(B, T, C)
        return F.linear(y, self.proj[l]), torch.stack([k, v])

    def forward(self, tokens, cache=None):
        B, T = tokens.shape
        n0 = 0 if cache is None else cache.shape[4]
        C = self.wte.shape[1]
        x = F.embedding(tokens, self.wte) + self.wpe[n0 : n0 + T]
        kept = []
        for l in range(self.L):
            n = F.layer_norm(x, (C,), self.ln1_g[l], self.ln1_b[l])
            y, kv = self.attend(n, l, None if cache is None else cache[l])
            kept.append(kv)
            x = x + y
            n = F.layer_norm(x, (C,), self.ln2_g[l], self.ln2_b[l])
            h = F.gelu(F.linear(n, self.up[l], self.up_b[l]))
            x = x + F.linear(h, self.down[l], self.down_b[l])
        x = F.layer_norm(x, (C,), self.lnf_g, self.lnf_b)
        return F.linear(x, self.wte), torch.stack(kept)


def generate(model, tokens, count):
    mode = model.training
    model.eval()
    out = tokens
    with torch.no_grad():
        cache, fed = None, 0
        for _ in range(count):
            logits, cache = model(out[:, fed:], cache)
            fed = out.shape[1]
            best = torch.argmax(logits[:, -1, :], axis=-1)
            out = torch.concatenate([out, best[:, None]], axis=1)
    model.train(mode)
    return out
