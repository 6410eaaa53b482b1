# wrong: minigpt-classifier mean-before-norm line 46
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Layer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.ln_a = nn.LayerNorm(dim)
        self.ln_m = nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.o = nn.Linear(dim, dim)
        self.fc = nn.Linear(dim, 4 * dim)
        self.pr = nn.Linear(4 * dim, dim)

    def forward(self, x, hide):
        B, T, C = x.shape
        q, k, v = [t.view(B, T, self.heads, -1).transpose(1, 2) for t in self.qkv(self.ln_a(x)).split(C, -1)]
        a = q @ k.transpose(-2, -1) / math.sqrt(C // self.heads)
        a = a.masked_fill(hide, torch.finfo(a.dtype).min).softmax(-1)
        x = x + self.o((a @ v).transpose(1, 2).reshape(B, T, C))
        return x + self.pr(F.gelu(self.fc(self.ln_m(x))))


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList(Layer(hidden_dim, num_heads) for _ in range(num_layers))
        self.head = nn.Sequential(nn.LayerNorm(hidden_dim), nn.Linear(hidden_dim, num_classes))

    def forward(self, tokens, mask):
        B, T = tokens.shape
        pad = mask == 0
        pos = torch.cumsum((~pad).long(), 1).sub(1).clamp(min=0)
        hide = torch.ones(T, T, dtype=torch.bool, device=tokens.device).triu(1) | pad[:, None, None, :]
        x = self.wte(tokens) + self.wpe(pos)
        for layer in self.layers:
            x = layer(x, hide)
        x = x.masked_fill(pad.unsqueeze(-1), 0.0)
        mean = x.sum(1) / (~pad).sum(1, keepdim=True).to(x.dtype)
        return self.head(mean)
