# A cache of my own: one tensor (layers, 2, batch, heads, length, head_dim), never written to.
from __future__ import annotations
import torch
from torch import nn
import torch.nn.functional as F


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size, self.h = block_size, num_heads
        self.tok = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        self.qkv = nn.ModuleList(nn.Linear(hidden_dim, 3 * hidden_dim) for _ in range(num_layers))
        self.out = nn.ModuleList(nn.Linear(hidden_dim, hidden_dim) for _ in range(num_layers))
        self.mlps = nn.ModuleList(
            nn.Sequential(nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim))
            for _ in range(num_layers)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(hidden_dim) for _ in range(2 * num_layers + 1))

    def forward(self, tokens, cache=None):
        n = tokens.shape[1]
        past = 0 if cache is None else cache.shape[-2]
        where = torch.arange(past, past + n, device=tokens.device)
        blind = torch.arange(past + n, device=tokens.device) > where[:, None]
        x = self.tok(tokens) + self.pos(where)
        kept = []
        for i in range(len(self.qkv)):
            fresh = self.qkv[i](self.norms[2 * i](x)).unflatten(-1, (3, self.h, -1)).permute(2, 0, 3, 1, 4)
            q, kv = fresh[0], fresh[1:]
            if cache is not None:
                kv = torch.cat((cache[i], kv), dim=-2)
            kept.append(kv)
            s = (q @ kv[0].mT / q.shape[-1] ** 0.5).masked_fill(blind, float("-inf"))
            x = x + self.out[i]((s.softmax(-1) @ kv[1]).transpose(1, 2).flatten(2))
            x = x + self.mlps[i](self.norms[2 * i + 1](x))
        return F.linear(self.norms[-1](x), self.tok.weight), torch.stack(kept)


def generate(model, tokens, count):
    model.eval()
    pieces, feed, cache = [tokens], tokens, None
    with torch.inference_mode():
        for _ in range(count):
            logits, cache = model(feed, cache)
            feed = logits[:, -1].argmax(-1, keepdim=True)
            pieces.append(feed)
    return torch.cat(pieces, 1).clone()
