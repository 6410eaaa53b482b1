from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


@dataclass
class Sizes:
    vocab: int
    block: int
    width: int
    heads: int
    layers: int
    dropout: float = 0.0


def attend(qkv: Tensor, heads: int, dropout: float = 0.0) -> Tensor:
    b, t, _ = qkv.shape
    q, k, v = qkv.view(b, t, 3, heads, -1).permute(2, 3, 0, 1, 4)              # heads before samples
    s = torch.einsum("hbid,hbjd->hbij", q, k) * q.shape[-1] ** -0.5
    s = s.masked_fill(torch.ones(t, t, dtype=torch.bool, device=qkv.device).triu(1), -math.inf)
    return torch.einsum("hbij,hbjd->bihd", F.dropout(s.softmax(-1), dropout), v).reshape(b, t, -1)


class MiniGPT(nn.Module):
    """No block class: the layers of one kind lie in one list, and forward walks through them side by side."""

    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.sizes = z = Sizes(vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout)
        stack = lambda make: nn.ModuleList(make() for _ in range(z.layers))
        self.tables = nn.ParameterDict({
            "token": nn.Parameter(torch.randn(z.vocab, z.width) * 0.02),
            "place": nn.Parameter(torch.randn(z.block, z.width) * 0.02),
        })  # fmt: skip
        self.norms = nn.ModuleList(nn.LayerNorm(z.width) for _ in range(2 * z.layers + 1))
        self.qkv = stack(lambda: nn.Linear(z.width, 3 * z.width))
        self.out = stack(lambda: nn.Linear(z.width, z.width))
        self.up = stack(lambda: nn.Linear(z.width, 4 * z.width))
        self.down = stack(lambda: nn.Linear(4 * z.width, z.width))

    @property
    def block_size(self) -> int:
        return self.sizes.block

    def forward(self, tokens: Tensor) -> Tensor:
        rate = self.sizes.dropout if self.training else 0.0
        x = F.embedding(tokens, self.tables["token"]) + self.tables["place"].narrow(0, 0, tokens.shape[1])
        *norms, last = self.norms
        for n1, n2, qkv, out, up, down in zip(norms[::2], norms[1::2], self.qkv, self.out, self.up, self.down):
            x = x + F.dropout(out(attend(qkv(n1(x)), self.sizes.heads, rate)), rate)
            x = x + F.dropout(down(F.gelu(up(n2(x)))), rate)
        return torch.einsum("btc,vc->btv", last(x), self.tables["token"])


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    goal = tokens[:, 1:].reshape(-1)
    rows = (goal != PADDING).nonzero().squeeze(1)
    guess = logits[:, :-1].flatten(0, 1).index_select(0, rows)
    return (guess.logsumexp(-1) - guess.gather(1, goal[rows, None].long()).squeeze(1)).mean()


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    line = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: 1 - k / steps)
    losses = []
    for _ in range(steps):
        loss = next_token_loss(model(tokens), tokens)
        model.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        line.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return F.softmax(logits.select(1, -1) / temperature, dim=-1)


@contextlib.contextmanager
def evaluating(model: nn.Module):
    model.eval()
    with torch.no_grad():
        yield model


def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    with evaluating(model):
        for _ in range(count):
            logits = model(tokens[:, -model.block_size :])
            if temperature == 0:
                chosen = logits[:, -1:].argmax(-1)
            else:
                chosen = next_token_probabilities(logits, temperature).multinomial(1)
            tokens = torch.cat((tokens, chosen.to(tokens.dtype)), dim=1)
    return tokens
