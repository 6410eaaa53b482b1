# right: minigpt
"""A dict for each kind of weight, with an entry for each block."""

import torch
import torch.nn.functional as F
from torch import nn


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size, self.num_heads, self.num_layers = block_size, num_heads, num_layers
        self.drop = nn.Dropout(dropout)
        d, kinds = hidden_dim, {}
        for name, shape in {
            "q": (d, d), "k": (d, d), "v": (d, d), "o": (d, d), "up": (d, 4 * d), "down": (4 * d, d),
            "up_b": (4 * d,), "down_b": (d,), "q_b": (d,), "k_b": (d,), "v_b": (d,), "o_b": (d,),
        }.items():
            kinds[name] = nn.ParameterDict({
                f"layer{n}": nn.Parameter(torch.randn(shape) * 0.05) for n in range(num_layers)
            })
        self.w = nn.ModuleDict(kinds)
        self.norms = nn.ModuleDict({
            kind: nn.ModuleList([nn.LayerNorm(d) for _ in range(num_layers)]) for kind in ("first", "second")
        })
        self.last = nn.LayerNorm(d)
        self.table = nn.Embedding(vocab_size, d)
        self.place = nn.Embedding(block_size, d)

    def forward(self, tokens):
        length = tokens.size(1)
        x = self.drop(self.table(tokens) + self.place.weight[:length])
        seen = torch.ones(length, length, device=x.device).tril()
        for n in range(self.num_layers):
            w = {kind: held[f"layer{n}"] for kind, held in self.w.items()}
            u = self.norms["first"][n](x)
            q, k, v = (
                (u @ w[c] + w[c + "_b"]).unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for c in "qkv"
            )
            p = (q @ k.mT / q.size(-1) ** 0.5).masked_fill(seen == 0, float("-inf")).softmax(-1)
            x = x + (p @ v).transpose(1, 2).flatten(2) @ w["o"] + w["o_b"]
            u = self.norms["second"][n](x)
            x = x + F.gelu(u @ w["up"] + w["up_b"]) @ w["down"] + w["down_b"]
        return self.last(x) @ self.table.weight.T


def next_token_loss(logits, tokens):
    guesses = logits[:, :-1, :].reshape(-1, logits.size(-1))
    targets = tokens[:, 1:].reshape(-1)
    return F.cross_entropy(guesses, targets, ignore_index=0)


def train(model, tokens, steps, learning_rate):
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda i: 1 - i / steps)
    losses = []
    for step in range(steps):
        loss = next_token_loss(model(tokens), tokens)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits, temperature):
    logits = logits[:, -1, :] / temperature
    return F.softmax(logits, dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size:])
        if temperature == 0:
            new = logits[:, -1, :].argmax(dim=-1, keepdim=True)
        else:
            new = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        tokens = torch.cat((tokens, new), dim=1)
    return tokens
