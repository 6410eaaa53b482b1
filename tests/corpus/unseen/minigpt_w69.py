from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class FusedBlock(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.attn_norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.proj = nn.Linear(width, width, bias=False)
        self.mlp_norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(dropout)

    def attend(self, x: Tensor, hidden: Tensor) -> Tensor:
        b, t, c = x.shape
        qkv = self.qkv(x).view(b, t, 3, self.heads, c // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        scores = torch.matmul(q, k.mT)
        scores.mul_((c // self.heads) ** -0.5).masked_fill_(hidden, float("-inf"))
        out = x.new_empty(b, t, self.heads, c // self.heads)
        out.copy_(torch.matmul(scores.softmax(-1), v).transpose(1, 2))
        return self.proj(out.view(b, t, c))

    def forward(self, x: Tensor, hidden: Tensor) -> Tensor:
        x = self.dropout(self.attend(self.attn_norm(x), hidden)).add_(x)
        return self.dropout(self.down(F.gelu(self.up(self.mlp_norm(x))))).add_(x)


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(
            FusedBlock(hidden_dim, num_heads, dropout) for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(hidden_dim)
        nn.init.normal_(self.wte.weight, std=0.02)
        nn.init.normal_(self.wpe.weight, std=0.02)
        hidden = torch.ones(block_size, block_size, dtype=torch.bool).triu_(1)
        self.register_buffer("hidden", hidden, persistent=False)

    def forward(self, tokens: Tensor) -> Tensor:
        t = tokens.size(1)
        x = self.wte(tokens).add(self.wpe.weight[:t])
        for block in self.blocks:
            x = block(x, self.hidden[:t, :t])
        return F.linear(self.norm(x), self.wte.weight)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    wanted = tokens[:, 1:]
    keep = wanted != PADDING
    return F.cross_entropy(logits[:, :-1][keep], wanted[keep])


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    schedule = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=steps, power=1.0)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return logits[:, -1].div(temperature).softmax(dim=-1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    for _ in range(count):
        if tokens.size(1) > model.block_size:
            tokens = tokens[:, -model.block_size :]
        logits = model(tokens)
        if temperature == 0.0:
            picked = logits[:, -1].argmax(dim=-1, keepdim=True)
        else:
            picked = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        tokens = torch.cat((tokens, picked), dim=1)
    return tokens
