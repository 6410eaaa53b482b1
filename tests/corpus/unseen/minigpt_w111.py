import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

PADDING = 0


@dataclass
class GPTConfig:
    vocab_size: int
    block_size: int
    hidden_dim: int
    num_heads: int
    num_layers: int
    dropout: float = 0.0


class MultiHeadAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.num_heads = cfg.num_heads
        self.head_dim = cfg.hidden_dim // cfg.num_heads
        self.query = nn.Linear(cfg.hidden_dim, cfg.hidden_dim)
        self.key = nn.Linear(cfg.hidden_dim, cfg.hidden_dim)
        self.value = nn.Linear(cfg.hidden_dim, cfg.hidden_dim)
        self.out = nn.Linear(cfg.hidden_dim, cfg.hidden_dim)
        self.drop = nn.Dropout(cfg.dropout)

    def forward(self, x):
        B, T, C = x.shape
        q = self.query(x).view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.key(x).view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.value(x).view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        causal = torch.tril(torch.ones(T, T, device=x.device, dtype=torch.bool))
        scores = scores.masked_fill(~causal, float("-inf"))
        weights = self.drop(scores.softmax(dim=-1))
        return self.out((weights @ v).transpose(1, 2).reshape(B, T, C))


class TransformerBlock(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.norm1 = nn.LayerNorm(cfg.hidden_dim)
        self.attn = MultiHeadAttention(cfg)
        self.norm2 = nn.LayerNorm(cfg.hidden_dim)
        self.fc1 = nn.Linear(cfg.hidden_dim, 4 * cfg.hidden_dim)
        self.fc2 = nn.Linear(4 * cfg.hidden_dim, cfg.hidden_dim)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.fc2(F.gelu(self.fc1(self.norm2(x))))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        cfg = GPTConfig(vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout)
        self.block_size = block_size
        self.tok = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList([TransformerBlock(cfg) for _ in range(num_layers)])
        self.final_norm = nn.LayerNorm(hidden_dim)
        nn.init.normal_(self.tok.weight, std=0.02)
        nn.init.normal_(self.pos.weight, std=0.02)

    def forward(self, tokens):
        B, T = tokens.shape
        x = self.tok(tokens) + self.pos(torch.arange(T, device=tokens.device))
        for block in self.blocks:
            x = block(x)
        return F.linear(self.final_norm(x), self.tok.weight)


def next_token_loss(logits, tokens):
    pred = logits[:, :-1].reshape(-1, logits.size(-1))
    target = tokens[:, 1:].reshape(-1)
    keep = target != PADDING
    return F.cross_entropy(pred[keep], target[keep])


def train(model, tokens, steps, learning_rate):
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    for step in range(steps):
        lr = learning_rate * (1 - step / steps)
        for group in optimizer.param_groups:
            group["lr"] = lr
        optimizer.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits, temperature):
    return torch.softmax(logits[:, -1, :] / temperature, dim=-1)


def crop(tokens, limit):
    """Keep what fits into the model."""
    if tokens.size(1) > limit:
        tokens = tokens[:, :limit]
    return tokens


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    text = tokens
    for _ in range(count):
        logits = model(crop(text, model.block_size))
        if temperature > 0:
            probs = next_token_probabilities(logits, temperature)
            next_id = torch.multinomial(probs, num_samples=1)
        else:
            next_id = logits[:, -1, :].argmax(dim=-1, keepdim=True)
        text = torch.cat([text, next_id], dim=1)
    return text
