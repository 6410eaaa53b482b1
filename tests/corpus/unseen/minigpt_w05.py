from __future__ import annotations

import math

import torch
from torch import Tensor, nn
import torch.nn.functional as F

PADDING = 0


class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, n_heads: int, p: float):
        super().__init__()
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.out = nn.Linear(d_model, d_model)
        self.fc1 = nn.Linear(d_model, 4 * d_model)
        self.fc2 = nn.Linear(4 * d_model, d_model)
        self.dropout = nn.Dropout(p)

    def _attend(self, x: Tensor) -> Tensor:
        b, t, d = x.shape
        q, k, v = self.qkv(x).reshape(b, t, 3, self.n_heads, self.d_k).permute(2, 0, 3, 1, 4).unbind(0)
        s = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.d_k)
        s = s.masked_fill(torch.triu(torch.ones(t, t, dtype=torch.bool, device=x.device), 1), -math.inf)
        o = torch.matmul(torch.softmax(s, -1), v)
        return self.out(o.permute(0, 2, 1, 3).reshape(b, t, d))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.dropout(self._attend(self.norm1(x)))
        x = x + self.dropout(self.fc2(F.gelu(self.fc1(self.norm2(x)))))
        return x


class MiniGPT(nn.Module):
    def __init__(self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int, dropout: float = 0.0):
        super().__init__()
        self.block_size = block_size
        self.embed = nn.Embedding(vocab_size, hidden_dim)
        self.position = nn.Parameter(torch.zeros(1, block_size, hidden_dim).normal_(std=0.1))
        self.layers = nn.ModuleList([DecoderLayer(hidden_dim, num_heads, dropout) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor) -> Tensor:
        h = self.embed(tokens) + self.position[:, : tokens.shape[1]]
        for layer in self.layers:
            h = layer(h)
        return self.norm(h) @ self.embed.weight.t()


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    inputs, labels = tokens[:, :-1], tokens[:, 1:]
    per_token = F.cross_entropy(logits[:, :-1].transpose(1, 2), labels, reduction="none")
    real = (inputs != PADDING).to(per_token.dtype)
    return (per_token * real).sum() / real.sum()


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    optimiser = torch.optim.AdamW(model.parameters(), learning_rate)
    decay = torch.optim.lr_scheduler.LinearLR(optimiser, start_factor=1.0, end_factor=0.0, total_iters=steps)
    model.train()
    record = []
    for _ in range(steps):
        optimiser.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimiser.step()
        decay.step()
        record.append(loss.item())
    return record


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    last = logits[:, -1].div(temperature)
    return last.softmax(dim=1)


def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    with torch.no_grad():
        for _ in range(count):
            window = tokens[:, max(0, tokens.shape[1] - model.block_size) :]
            logits = model(window)
            if temperature == 0:
                choice = logits[:, -1].max(dim=-1).indices
            else:
                choice = torch.distributions.Categorical(probs=next_token_probabilities(logits, temperature)).sample()
            tokens = torch.cat([tokens, choice.unsqueeze(1)], dim=1)
    return tokens
