# right: causal
"""A tiny GPT. Only the attention class is the exercise; the rest uses it."""
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, embed_dim, n_heads, max_seq_len, dropout=0.1):
        super().__init__()
        self.n_heads = n_heads
        self.max_seq_len = max_seq_len
        self.qkv = nn.Linear(embed_dim, 3 * embed_dim, bias=False)
        self.proj = nn.Linear(embed_dim, embed_dim)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("causal", torch.ones(max_seq_len, max_seq_len).tril())

    def forward(self, x):
        B, T, C = x.shape
        if T > self.max_seq_len:
            raise ValueError(f"{T} positions, at most {self.max_seq_len}")
        q, k, v = self.qkv(x).reshape(B, T, 3, self.n_heads, C // self.n_heads).permute(2, 0, 3, 1, 4).unbind(0)
        att = q @ k.transpose(-2, -1) / (C // self.n_heads) ** 0.5
        att = att.masked_fill(self.causal[:T, :T] == 0, float("-inf"))
        att = self.drop(att.softmax(dim=-1))
        return self.proj((att @ v).transpose(1, 2).reshape(B, T, C))


class MLP(nn.Sequential):
    def __init__(self, dim, mult=4):
        super().__init__(nn.Linear(dim, mult * dim), nn.GELU(), nn.Linear(mult * dim, dim))


class Block(nn.Module):
    def __init__(self, dim, heads, max_len):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = CausalSelfAttention(dim, heads, max_len)
        self.mlp = MLP(dim)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, vocab, dim=32, heads=4, layers=2, max_len=16):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.pos = nn.Embedding(max_len, dim)
        self.blocks = nn.Sequential(*(Block(dim, heads, max_len) for _ in range(layers)))
        self.ln_f = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, vocab, bias=False)

    def forward(self, idx):
        pos = torch.arange(idx.size(1), device=idx.device)
        return self.head(self.ln_f(self.blocks(self.tok(idx) + self.pos(pos))))


@torch.no_grad()
def generate(model, idx, steps):
    for _ in range(steps):
        nxt = model(idx[:, -16:])[:, -1].argmax(-1, keepdim=True)
        idx = torch.cat([idx, nxt], dim=1)
    return idx


gpt = GPT(vocab=11).eval()
print(generate(gpt, torch.zeros(1, 1, dtype=torch.long), 4))
