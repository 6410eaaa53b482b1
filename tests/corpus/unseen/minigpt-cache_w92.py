import torch
import torch.nn as nn
import torch.nn.functional as F


class Attn(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, past):
        b, t, d = x.shape
        q = self.q(x).view(b, t, self.h, d // self.h).transpose(1, 2)
        k = self.k(x).view(b, t, self.h, d // self.h).transpose(1, 2)
        v = self.v(x).view(b, t, self.h, d // self.h).transpose(1, 2)
        if past is not None:
            k = torch.cat([past[0], k], dim=2)
            v = torch.cat([past[1], v], dim=2)
        s = k.size(2)
        att = q @ k.transpose(-1, -2) / (d // self.h) ** 0.5
        mask = torch.triu(torch.ones(t, s, device=x.device), diagonal=s - t + 1).bool()
        att = att.masked_fill(mask, float('-inf')).softmax(dim=-1)
        return self.o((att @ v).transpose(1, 2).reshape(b, t, d)), (k, v)


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.ln1, self.attn, self.ln2 = nn.LayerNorm(d), Attn(d, h), nn.LayerNorm(d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x, past=None):
        a, present = self.attn(self.ln1(x), past)
        x = x + a
        return x + self.mlp(self.ln2(x)), present


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.tok = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList([Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        past = cache[0][0].size(2) if cache else 0
        cache = cache or [None] * len(self.blocks)
        pos = torch.arange(past, past + tokens.size(1), device=tokens.device)
        x = self.tok(tokens) + self.pos(pos)
        presents = []
        for block, p in zip(self.blocks, cache):
            x, present = block(x, p)
            presents.append(present)
        return self.ln_f(x) @ self.tok.weight.T, presents


def generate(model, tokens, count):
    model.eval()
    with torch.no_grad():
        cache = None
        step = tokens
        for _ in range(count):
            logits, cache = model(step, cache)
            nxt = torch.argmax(logits[:, -1, :], dim=-1, keepdim=True)
            tokens = torch.cat((tokens, nxt), dim=1)
            step = tokens[:, -1]
    return tokens
