# right: minigpt
"""All weights lie in one list, in the order in which they are used."""

import torch
import torch.nn.functional as F
from torch import nn


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size, self.num_heads, self.num_layers, self.rate = block_size, num_heads, num_layers, dropout
        d = hidden_dim
        shapes = [(vocab_size, d), (block_size, d)]
        for _ in range(num_layers):
            shapes += [(d,), (d,), (d, d), (d, d), (d, d), (d, d), (d,), (d,), (d, 4 * d), (4 * d,), (4 * d, d), (d,)]
        shapes += [(d,), (d,)]
        self.theta = nn.ParameterList([nn.Parameter(torch.randn(s) * 0.05) for s in shapes])

    def forward(self, tokens):
        left = iter(self.theta)
        tok, pos = next(left), next(left)
        x = F.dropout(tok[tokens] + pos[: tokens.size(1)], self.rate, self.training)
        cut = torch.full((tokens.size(1),) * 2, float("-inf"), device=x.device, dtype=x.dtype).triu(1)
        for _ in range(self.num_layers):
            g, b, wq, wk, wv, wo, g2, b2, w1, b1, w2, c2 = (next(left) for _ in range(12))
            u = F.layer_norm(x, x.shape[-1:], g, b)
            q, k, v = ((u @ w).unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for w in (wq, wk, wv))
            s = torch.softmax(q @ k.mT / q.size(-1) ** 0.5 + cut, dim=-1)
            x = x + (s @ v).transpose(1, 2).flatten(2) @ wo
            u = F.layer_norm(x, x.shape[-1:], g2, b2)
            x = x + F.gelu(u @ w1 + b1) @ w2 + c2
        g, b = next(left), next(left)
        return F.layer_norm(x, x.shape[-1:], g, b) @ tok.T


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
