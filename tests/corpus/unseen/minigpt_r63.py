from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.wqkv = nn.Linear(width, 3 * width)
        self.wo = nn.Linear(width, width)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        b, t, c = x.shape
        q, k, v = (
            y.view(b, t, self.heads, self.size).transpose(1, 2).reshape(b * self.heads, t, -1)
            for y in self.wqkv(x).split(c, dim=-1)
        )
        scores = torch.baddbmm(bias.expand(b * self.heads, t, t), q, k.mT, alpha=self.size**-0.5)
        ctx = torch.bmm(scores.softmax(-1), v).view(b, self.heads, t, self.size)
        return self.wo(ctx.transpose(1, 2).reshape(b, t, c))


class Layer(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.ln_attn, self.ln_mlp = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = Attention(width, heads)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        x = x + self.attn(self.ln_attn(x), bias)
        return x + self.down(F.gelu(self.up(self.ln_mlp(x))))


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.block_size = block_size
        self.token_table = nn.Parameter(torch.empty(vocab_size, hidden_dim).normal_(0, 0.02))
        self.place_table = nn.Parameter(torch.empty(block_size, hidden_dim).normal_(0, 0.02))
        self.layers = nn.ModuleList([Layer(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln_out = nn.LayerNorm(hidden_dim)
        self.drop = nn.Dropout(dropout)
        future = torch.full((block_size, block_size), float("-inf")).triu_(1)
        self.register_buffer("future", future, persistent=False)

    def forward(self, tokens: Tensor) -> Tensor:
        t = tokens.size(1)
        x = torch.index_select(self.token_table, 0, tokens.flatten()).view(*tokens.shape, -1)
        x = self.drop(x + self.place_table.narrow(0, 0, t))
        bias = self.future[:t, :t].to(x.dtype)
        for layer in self.layers:
            x = layer(x, bias)
        return torch.matmul(self.ln_out(x), self.token_table.t())


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    wanted = tokens[:, 1:].long().flatten()
    keep = wanted.ne(PADDING).nonzero().squeeze(-1)
    guesses = logits[:, :-1].flatten(0, 1).index_select(0, keep)
    return F.cross_entropy(guesses, wanted.index_select(0, keep))


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = torch.empty(steps, dtype=torch.float64)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * (1 - step / steps)
        optimizer.zero_grad(set_to_none=True)
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        losses[step] = loss.detach()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return losses.tolist()


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return logits.select(1, -1).div(temperature).softmax(-1)


@torch.inference_mode()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    batch, length = tokens.shape
    text = tokens.new_empty(batch, length + count)
    text[:, :length] = tokens
    for end in range(length, length + count):
        logits = model(text[:, max(0, end - model.block_size) : end])
        if temperature == 0:
            text[:, end] = torch.argmax(logits[:, -1], dim=-1)
        else:
            probs = next_token_probabilities(logits, temperature)
            text[:, end] = torch.multinomial(probs, 1).squeeze(1)
    return text
