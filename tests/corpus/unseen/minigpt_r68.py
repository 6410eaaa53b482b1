from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class MiniGPT(nn.Module):
    """Twelve square matrices a layer, all in one bank.

    E  (vocab, d) tokens     P  (d, block_size) places     g  (layers, 2, d) gains less 1     z  (d) the last gain
    W  (layers, 12, d, d)    0 output, 1-3 query key value, 4-7 up, 8-11 down; rows go in, columns come out
    """

    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        d = hidden_dim
        self.H, self.block_size = num_heads, block_size
        self.E = nn.Parameter(0.02 * torch.randn(vocab_size, d))
        self.P = nn.Parameter(0.02 * torch.randn(d, block_size))
        self.W = nn.Parameter(torch.randn(num_layers, 12, d, d) / math.sqrt(d))
        self.g = nn.Parameter(torch.zeros(num_layers, 2, d))
        self.z = nn.Parameter(torch.zeros(d))
        self.dropout = nn.Dropout(dropout)

    def norm(self, x: Tensor, gain: Tensor) -> Tensor:
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return (x - mean) / (var + 1e-5).sqrt() * (1 + gain)

    def forward(self, tokens: Tensor) -> Tensor:
        b, t = tokens.shape
        x = self.dropout(self.E[tokens] + self.P[:, :t].T)
        ok = torch.ones(t, t, device=x.device).tril().bool()
        for W, (g1, g2) in zip(self.W, self.g):
            y = torch.einsum("btd,rde->rbte", self.norm(x, g1), W[1:4])
            q, k, v = y.unflatten(-1, (self.H, -1)).transpose(2, 3)
            s = torch.where(ok, q @ k.mT / math.sqrt(k.shape[-1]), -math.inf)
            x = x + self.dropout((s.softmax(-1) @ v).transpose(1, 2).flatten(2) @ W[0])
            u = F.gelu(torch.einsum("btd,rde->btre", self.norm(x, g2), W[4:8]))
            x = x + self.dropout(torch.einsum("btre,red->btd", u, W[8:]))
        return F.linear(self.norm(x, self.z), self.E)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    goal = tokens[:, 1:].clone()
    goal[goal == PADDING] = -100
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), goal.flatten())


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    falling = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=steps)

    def step() -> float:
        optimizer.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        falling.step()
        return loss.item()

    model.train()
    return [step() for _ in range(steps)]


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    last = logits[:, -1] / temperature
    return torch.exp(last - last.logsumexp(dim=-1, keepdim=True))


def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    text = [column for column in tokens.unbind(1)]
    for _ in range(count):
        window = torch.stack(text[-model.block_size :], dim=1)
        with torch.no_grad():
            logits = model(window)
        if temperature:
            text.append(torch.multinomial(next_token_probabilities(logits, temperature), 1)[:, 0])
        else:
            text.append(logits[:, -1].argmax(dim=-1))
    return torch.stack(text, dim=1)
