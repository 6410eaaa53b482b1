# classifier.py: own GPT body + mean pooling head
import torch
from torch import nn


class Attn(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.dk = h, d // h
        self.linear_q = nn.Linear(d, d)
        self.linear_k = nn.Linear(d, d)
        self.linear_v = nn.Linear(d, d)
        self.linear_out = nn.Linear(d, d)

    def forward(self, x, keep):
        n_batch, time, d = x.shape
        q = self.linear_q(x).view(n_batch, time, self.h, self.dk).transpose(1, 2)
        k = self.linear_k(x).view(n_batch, time, self.h, self.dk).transpose(1, 2)
        v = self.linear_v(x).view(n_batch, time, self.h, self.dk).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(-2, -1)) / self.dk**0.5
        scores = scores.masked_fill(keep.eq(0), -float("inf"))
        ctx = torch.matmul(torch.softmax(scores, dim=-1), v)
        return self.linear_out(ctx.transpose(1, 2).reshape(n_batch, time, d))


class Layer(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.self_attn = Attn(d, h)
        self.w_1, self.w_2 = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
        self.act = nn.GELU()

    def forward(self, x, keep):
        x = x + self.self_attn(self.norm1(x), keep)
        return x + self.w_2(self.act(self.w_1(self.norm2(x))))


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList([Layer(hidden_dim, num_heads) for _ in range(num_layers)])
        self.after_norm = nn.LayerNorm(hidden_dim)
        self.classifier = nn.Linear(hidden_dim, num_classes)

    @staticmethod
    def subsequent_mask(size, device):
        return torch.ones(size, size, dtype=torch.bool, device=device).tril()

    def forward(self, tokens, mask):
        mask = mask.ne(0)
        pos = (mask.cumsum(1) - 1).clamp(min=0)
        keep = mask[:, None, None, :] & self.subsequent_mask(tokens.size(1), tokens.device)
        x = self.embed(tokens) + self.pos(pos)
        for layer in self.layers:
            x = layer(x, keep)
        x = self.after_norm(x)
        m = mask.unsqueeze(-1).to(x.dtype)
        pooled = (x * m).sum(1) / m.sum(1)
        return self.classifier(pooled)
