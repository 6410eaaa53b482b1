from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

PADDING = 0


@dataclass(frozen=True)
class Shape:
    width: int
    heads: int

    @property
    def depth(self) -> int:
        return self.width // self.heads


class Layer(nn.Module):
    """Raw matrices; no dropout (it is not asked for)."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        w, std = shape.width, shape.width ** -0.5
        self.norms = nn.ModuleDict({"attend": nn.LayerNorm(w, eps=1e-5), "think": nn.LayerNorm(w, eps=1e-5)})
        self.m = nn.ParameterDict({
            "q": torch.randn(shape.heads, w, shape.depth) * std,
            "k": torch.randn(shape.heads, w, shape.depth) * std,
            "v": torch.randn(shape.heads, w, shape.depth) * std,
            "o": torch.randn(shape.heads, shape.depth, w) * std,
            "up": torch.randn(w, 4 * w) * std,
            "down": torch.randn(4 * w, w) * std / 2,
        })

    def attend(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        q = torch.einsum("bnw,hwd->bhnd", x, self.m["q"])
        k = torch.einsum("bnw,hwd->bhnd", x, self.m["k"])
        v = torch.einsum("bnw,hwd->bhnd", x, self.m["v"])
        scores = torch.einsum("bhid,bhjd->bhij", q, k) / self.shape.depth ** 0.5
        later = torch.arange(n, device=x.device)[None, :] > torch.arange(n, device=x.device)[:, None]
        weights = scores.masked_fill(later, float("-inf")).softmax(-1)
        return torch.einsum("bhij,bhjd,hdw->biw", weights, v, self.m["o"])

    def think(self, x: Tensor) -> Tensor:
        return nn.functional.gelu(x @ self.m["up"], approximate="none") @ self.m["down"]

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attend(self.norms["attend"](x))
        return x + self.think(self.norms["think"](x))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.table = nn.Parameter(torch.randn(vocab_size, hidden_dim) * 0.05)
        self.places = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.05)
        self.layers = nn.Sequential(*(Layer(Shape(hidden_dim, num_heads)) for _ in range(num_layers)))
        self.last = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor) -> Tensor:
        stream = self.table[tokens] + self.places[: tokens.shape[1]]
        return self.last(self.layers(stream)) @ self.table.T


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    wanted = tokens[:, 1:].long()
    log_p = logits[:, :-1].log_softmax(-1)
    nll = -log_p.gather(-1, wanted[..., None])[..., 0]
    return nll[wanted != PADDING].mean()


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=learning_rate)
    history: list[float] = []
    for k in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * (1 - k / steps)
        optimizer.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        history.append(float(loss.detach()))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, max_norm=1.0)
        optimizer.step()
    return history


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return torch.softmax(logits.select(1, -1) / temperature, dim=-1)


def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    was_training = model.training
    model.eval()
    text = [tokens[:, i] for i in range(tokens.shape[1])]
    with torch.inference_mode():
        for _ in range(count):
            logits = model(torch.stack(text[-model.block_size:], dim=1))
            if temperature > 0:
                drawn = torch.multinomial(next_token_probabilities(logits, temperature), 1)[:, 0]
            else:
                drawn = logits[:, -1].argmax(-1)
            text.append(drawn)
    model.train(was_training)
    return torch.stack(text, dim=1)
