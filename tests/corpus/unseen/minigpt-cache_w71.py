# 带 KV 缓存的小 GPT
import math

import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, dim * 2, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x, store):
        b, n, d = x.shape
        q = self.to_q(x)
        k, v = self.to_kv(x).chunk(2, dim=-1)
        q, k, v = (t.reshape(b, n, self.heads, -1).transpose(1, 2) for t in (q, k, v))

        # 把新的 k, v 接到缓存后面
        if "k" in store:
            k = torch.cat((store["k"], k), dim=2)
            v = torch.cat((store["v"], v), dim=2)
        store["k"], store["v"] = k, v

        total = k.shape[2]
        sim = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        # 因果掩码的对角线要跳过已缓存的部分
        mask = torch.ones(n, total, dtype=torch.bool, device=x.device).triu(total - n + 1)
        attn = sim.masked_fill(mask, float("-inf")).softmax(dim=-1)
        return self.to_out((attn @ v).transpose(1, 2).reshape(b, n, d))


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.attn = Attention(dim, heads)
        self.norm2 = nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, dim * 4), nn.GELU(), nn.Linear(dim * 4, dim))

    def forward(self, x, store):
        x = self.attn(self.norm1(x), store) + x
        return self.ff(self.norm2(x)) + x


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.token_emb = nn.Embedding(vocab_size, hidden_dim)
        self.pos_emb = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList([Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        # 每层一个字典
        if cache is None:
            cache = [{} for _ in self.blocks]
        past = cache[0]["k"].shape[2] if cache[0] else 0
        pos = torch.arange(past, past + tokens.shape[1], device=tokens.device)
        x = self.token_emb(tokens) + self.pos_emb(pos)
        for block, store in zip(self.blocks, cache):
            x = block(x, store)
        logits = self.norm(x) @ self.token_emb.weight.t()
        return logits, cache


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    out, cache = tokens, None
    step = tokens
    for _ in range(count):
        logits, cache = model(step, cache)
        step = logits[:, -1:].argmax(dim=-1)     # 贪心
        out = torch.cat((out, step), dim=1)
    return out
