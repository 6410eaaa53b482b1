# No padding ever reaches the model: each text is cut out of the batch, run by itself as a
# [length, hidden_dim] matrix and averaged. Slow, and hard to get wrong.
import math

import torch
import torch.nn.functional as F
from torch import nn


class TransformerBlock(nn.Module):
    def __init__(self, E, H):
        super().__init__()
        self.H, self.D = H, E // H
        self.ln1 = nn.LayerNorm(E)
        self.Wqkv = nn.Linear(E, 3 * E, bias=False)
        self.Wo = nn.Linear(E, E)
        self.ln2 = nn.LayerNorm(E)
        self.mlp = nn.Sequential(nn.Linear(E, 4 * E), nn.GELU(), nn.Linear(4 * E, E))

    def forward(self, x):
        n = x.shape[0]
        # [n, 3E] -> three times [H, n, D]
        q, k, v = self.Wqkv(self.ln1(x)).view(n, 3, self.H, self.D).permute(1, 2, 0, 3)
        s = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.D)
        s = s + torch.full_like(s[0], float("-inf")).triu(1)
        ctx = torch.bmm(F.softmax(s, dim=2), v)
        x = x + self.Wo(ctx.transpose(0, 1).reshape(n, -1))
        return x + self.mlp(self.ln2(x))


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.Sequential(*[TransformerBlock(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim)
        self.head = nn.Linear(hidden_dim, num_classes)

    def encode(self, ids):
        x = self.tok(ids) + self.pos.weight[: ids.numel()]
        return self.ln_f(self.blocks(x)).mean(dim=0)

    def forward(self, tokens, mask):
        pooled = [self.encode(row[on != 0]) for row, on in zip(tokens, mask)]
        return self.head(torch.stack(pooled))
