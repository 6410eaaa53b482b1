# wrong: minigpt-cache cache-layers-mixed line 35
from dataclasses import dataclass

import torch
from torch import einsum, nn
from torch.nn.functional import gelu


@dataclass
class Config:
    vocab: int
    context: int
    width: int
    heads: int
    depth: int


class Layer(nn.Module):
    def __init__(self, cfg: Config, name: str):
        super().__init__()
        self.name = name
        self.h = cfg.heads
        self.ln1 = nn.LayerNorm(cfg.width)
        self.qkv = nn.Linear(cfg.width, 3 * cfg.width, bias=False)
        self.out = nn.Linear(cfg.width, cfg.width, bias=False)
        self.ln2 = nn.LayerNorm(cfg.width)
        self.up = nn.Linear(cfg.width, 4 * cfg.width)
        self.down = nn.Linear(4 * cfg.width, cfg.width)

    def attend(self, x, cache):
        b, t, e = x.shape
        q, k, v = (p.reshape(b, t, self.h, e // self.h) for p in self.qkv(x).chunk(3, -1))
        if self.name in cache:
            old_k, old_v = cache[self.name]
            k, v = torch.cat([old_k, k], 1), torch.cat([old_v, v], 1)
        s = k.size(1)
        dots = einsum("bihd,bjhd->bhij", q * (e // self.h) ** -0.5, k)
        i = torch.arange(s - t, s, device=x.device)[:, None]
        j = torch.arange(s, device=x.device)[None, :]
        dots = dots.masked_fill(j > i, torch.finfo(dots.dtype).min)
        y = einsum("bhij,bjhd->bihd", dots.softmax(-1), v)
        return self.out(y.reshape(b, t, e)), {**cache, self.name: (k, v)}

    def forward(self, x, cache):
        y, cache = self.attend(self.ln1(x), cache)
        x = x + y
        return x + self.down(gelu(self.up(self.ln2(x)))), cache


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        cfg = Config(vocab_size, block_size, hidden_dim, num_heads, num_layers)
        self.token_table = nn.Embedding(cfg.vocab, cfg.width)
        self.position_table = nn.Embedding(cfg.context, cfg.width)
        self.layers = nn.ModuleList([Layer(cfg, "kv") for _ in range(cfg.depth)])
        self.ln_f = nn.LayerNorm(cfg.width)

    def forward(self, tokens, cache=None):
        cache = {"seen": 0} if cache is None else cache
        seen, t = cache["seen"], tokens.size(1)
        x = self.token_table(tokens) + self.position_table.weight[seen : seen + t]
        for layer in self.layers:
            x, cache = layer(x, cache)
        logits = einsum("bte,ve->btv", self.ln_f(x), self.token_table.weight)
        return logits, {**cache, "seen": seen + t}


@torch.inference_mode()
def generate(model, tokens, count):
    model.eval()
    pieces, cache = [tokens], None
    for _ in range(count):
        logits, cache = model(pieces[-1], cache)
        pieces.append(logits[:, -1:].argmax(-1))
    return torch.cat(pieces, 1)
