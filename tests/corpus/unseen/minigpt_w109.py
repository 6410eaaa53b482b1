from __future__ import annotations

import torch
from torch import Tensor, nn

PADDING = 0


def make_block(width: int, heads: int) -> nn.ModuleDict:
    return nn.ModuleDict(
        {
            "norm_1": nn.LayerNorm(width),
            "qkv": nn.Linear(width, 3 * width, bias=False),
            "merge": nn.Linear(width, width, bias=False),
            "norm_2": nn.LayerNorm(width),
            "mlp": nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)),
        }
    )


class MiniGPT(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        block_size: int,
        hidden_dim: int,
        num_heads: int,
        num_layers: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.block_size = block_size
        self.num_heads = num_heads
        self.tokens = nn.Parameter(0.02 * torch.randn(vocab_size, hidden_dim))
        self.places = nn.Parameter(0.02 * torch.randn(block_size, hidden_dim))
        self.blocks = nn.ModuleList(make_block(hidden_dim, num_heads) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim)

    def attend(self, block: nn.ModuleDict, x: Tensor) -> Tensor:
        q, k, v = (t.unflatten(-1, (self.num_heads, -1)) for t in block["qkv"](x).chunk(3, dim=-1))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.size(-1) ** 0.5
        steps = torch.arange(x.size(1), device=x.device)
        weights = scores.masked_fill(steps > steps[:, None], -torch.inf).softmax(dim=-1)
        return block["merge"](torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2))

    def forward(self, tokens: Tensor) -> Tensor:
        stream = self.tokens[tokens] + self.places[: tokens.size(1)]
        for block in self.blocks:
            stream = stream + self.attend(block, block["norm_1"](stream))
            stream = stream + block["mlp"](block["norm_2"](stream))
        return self.norm(stream) @ self.tokens.T


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    log_probs = logits[:, :-1].log_softmax(dim=-1)
    targets = tokens[:, 1:]
    picked = log_probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    real = targets != PADDING
    total = -(picked * real).sum()
    return total / (tokens != PADDING).sum()


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    parameters = list(model.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=learning_rate)
    history: list[float] = []
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = learning_rate * (1 - step / steps)
        loss = next_token_loss(model(tokens), tokens)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, max_norm=1.0)
        optimizer.step()
        history.append(loss.item())
    return history


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    newest = logits[:, -1] / temperature
    return newest.softmax(dim=-1)


def pick(logits: Tensor, temperature: float) -> Tensor:
    if temperature == 0:
        return logits[:, -1:].argmax(dim=-1)
    return torch.multinomial(next_token_probabilities(logits, temperature), 1)


@torch.inference_mode()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    for _ in range(count):
        window = tokens[:, -model.block_size :]
        tokens = torch.cat([tokens, pick(model(window), temperature)], dim=1)
    return tokens
