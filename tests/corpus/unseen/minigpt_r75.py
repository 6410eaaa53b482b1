from __future__ import annotations
import torch
from torch import Tensor, nn
import torch.nn.functional as F

PADDING = 0


class SelfAttn(nn.Module):
    def __init__(self, dim, heads, p):
        super().__init__()
        self.heads = heads
        self.w_in = nn.Parameter(torch.randn(3, heads, dim, dim // heads) * 0.02)
        self.w_out = nn.Parameter(torch.randn(heads, dim // heads, dim) * 0.02)
        self.drop = nn.Dropout(p)

    def forward(self, x):
        q, k, v = torch.einsum("btc,rhcd->rbhtd", x, self.w_in)
        s = q @ k.mT * q.shape[-1] ** -0.5
        t = x.shape[1]
        s = s.masked_fill(torch.ones(t, t, device=x.device).triu(1) > 0, float("-inf"))
        return torch.einsum("bhts,bhsd,hdc->btc", self.drop(s.softmax(-1)), v, self.w_out)


class Layer(nn.ModuleDict):
    def __init__(self, dim, heads, p):
        super().__init__({
            "n1": nn.LayerNorm(dim), "attn": SelfAttn(dim, heads, p),
            "n2": nn.LayerNorm(dim), "up": nn.Linear(dim, 4 * dim), "down": nn.Linear(4 * dim, dim),
        })

    def forward(self, x):
        x = x + self["attn"](self["n1"](x))
        return x + self["down"](F.gelu(self["up"](self["n2"](x))))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
                 dropout: float = 0.0) -> None:
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Parameter(torch.randn(vocab_size, hidden_dim) * 0.02)
        self.wpe = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        self.body = nn.Sequential(nn.Dropout(dropout), *(Layer(hidden_dim, num_heads, dropout) for _ in range(num_layers)),
                                  nn.LayerNorm(hidden_dim))

    def forward(self, tokens: Tensor) -> Tensor:
        h = self.wte[tokens] + self.wpe[: tokens.shape[1]]
        return self.body(h) @ self.wte.T


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    goal = tokens[:, 1:].long()
    lp = logits[:, :-1].log_softmax(-1).gather(-1, goal.unsqueeze(-1)).squeeze(-1)
    real = (goal != PADDING).to(lp.dtype)
    return -(lp * real).sum() / real.sum()


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda k: 1 - k / steps if steps else 1.0)
    history = []
    for _ in range(steps):
        loss = next_token_loss(model(tokens), tokens)
        model.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        history.append(float(loss.detach()))
    return history


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return F.softmax(logits.select(1, -1) / temperature, dim=-1)


@torch.inference_mode()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size:])
        if temperature:
            nxt = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        else:
            nxt = logits[:, -1:].argmax(-1)
        tokens = torch.cat((tokens, nxt), dim=1)
    return tokens
