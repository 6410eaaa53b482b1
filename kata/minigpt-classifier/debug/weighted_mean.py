import torch
from torch import nn
from torch.nn import functional as F


class Head(nn.Module):
    def __init__(self, dim, size):
        super().__init__()
        self.key = nn.Linear(dim, size, bias=False)
        self.query = nn.Linear(dim, size, bias=False)
        self.value = nn.Linear(dim, size, bias=False)

    def forward(self, x, hidden):
        k, q, v = self.key(x), self.query(x), self.value(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        wei = wei.masked_fill(hidden, torch.finfo(wei.dtype).min)
        return F.softmax(wei, dim=-1) @ v


class Block(nn.Module):
    def __init__(self, dim, n_heads):
        super().__init__()
        self.heads = nn.ModuleList([Head(dim, dim // n_heads) for _ in range(n_heads)])
        self.proj = nn.Linear(dim, dim)
        self.ffwd = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))
        self.ln1 = nn.LayerNorm(dim)
        self.ln2 = nn.LayerNorm(dim)

    def forward(self, x, hidden):
        y = self.ln1(x)
        x = x + self.proj(torch.cat([head(y, hidden) for head in self.heads], dim=-1))
        return x + self.ffwd(self.ln2(x))


class TextClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, dim, n_heads, n_layers, num_classes):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, dim)
        self.position_embedding = nn.Embedding(block_size, dim)
        self.blocks = nn.ModuleList([Block(dim, n_heads) for _ in range(n_layers)])
        self.ln_f = nn.LayerNorm(dim)
        self.classifier = nn.Linear(dim, num_classes)

    def encode(self, tokens, real):
        length = tokens.shape[1]
        pos = torch.cumsum(real, dim=1) - 1
        pos = pos.clamp(min=0)
        future = torch.ones(length, length, dtype=torch.bool, device=tokens.device).triu(1)
        hidden = future | ~real[:, None, :]
        x = self.token_embedding(tokens) + self.position_embedding(pos)
        for block in self.blocks:
            x = block(x, hidden)
        return self.ln_f(x)

    def forward(self, tokens, mask):
        real = mask.bool()
        x = self.encode(tokens, real)
        share = real / real.sum(dim=1, keepdim=True)
        pooled = torch.einsum("bt,bte->be", share.to(x.dtype), x)
        return self.classifier(pooled)
