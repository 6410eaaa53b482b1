# wrong: minigpt-classifier mask-inverted line 52
# fair: mask-inverted 49
"""-inf as fill, and the diagonal stays open and the mask says who is hidden."""

import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, width, size):
        super().__init__()
        self.query = nn.Linear(width, size, bias=False)
        self.key = nn.Linear(width, size, bias=False)
        self.value = nn.Linear(width, size, bias=False)
        self.size = size

    def forward(self, x, hidden):
        wei = self.query(x) @ self.key(x).transpose(-2, -1) * self.size**-0.5
        wei = wei.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        return wei @ self.value(x)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = nn.ModuleList(Head(width, width // heads) for _ in range(heads))
        self.proj = nn.Linear(width, width)
        self.ln1 = nn.LayerNorm(width)
        self.ln2 = nn.LayerNorm(width)
        self.ffwd = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x, hidden):
        normed = self.ln1(x)
        x = x + self.proj(torch.cat([head(normed, hidden) for head in self.heads], dim=-1))
        return x + self.ffwd(self.ln2(x))


class TextClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, n_embd, n_head, n_layer, n_classes):
        super().__init__()
        self.token_embedding_table = nn.Embedding(vocab_size, n_embd)
        self.position_embedding_table = nn.Embedding(block_size, n_embd)
        self.blocks = nn.ModuleList(Block(n_embd, n_head) for _ in range(n_layer))
        self.ln_f = nn.LayerNorm(n_embd)
        self.clf = nn.Linear(n_embd, n_classes)

    def forward(self, idx, mask):
        B, T = idx.shape
        real = mask == 1
        pos = (real.cumsum(1) - 1).relu()
        ahead = torch.ones(T, T, dtype=torch.bool, device=idx.device).triu(1)
        nobody = real.unsqueeze(1)
        itself = torch.eye(T, dtype=torch.bool, device=idx.device)
        hidden = (ahead | nobody) & ~itself
        x = self.token_embedding_table(idx) + self.position_embedding_table(pos)
        for block in self.blocks:
            x = block(x, hidden)
        x = self.ln_f(x)
        x = torch.where(real.unsqueeze(-1), x, 0.0)
        return self.clf(x.sum(1) / real.sum(1, keepdim=True))
