"""A GPT in one ParameterDict, without any layer modules; functions do the rest."""
import math

import torch
from torch import nn
from torch.nn import functional as F

PADDING = 0


def norm(x, g, b):
    var, mean = torch.var_mean(x, dim=-1, keepdim=True, correction=0)
    return (x - mean) * torch.rsqrt(var + 1e-5) * (1 + g) + b


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size, self.heads, self.rate = block_size, num_heads, dropout
        n, c = num_layers, hidden_dim
        small = lambda *s: nn.Parameter(torch.randn(*s) * 0.02)  # noqa: E731
        # layers are the first axis of everything
        self.p = nn.ParameterDict({
            "tok": small(vocab_size, c), "pos": small(block_size, c),
            "g": nn.Parameter(torch.zeros(2 * n + 1, c)), "b": nn.Parameter(torch.zeros(2 * n + 1, c)),
            "attn": small(n, 4, c, c), "up": small(n, c, 4 * c), "down": small(n, 4 * c, c),
        })

    def attend(self, x, w):
        k, q, v, o = w
        q, k, v = ((x @ m).unflatten(-1, (self.heads, -1)).transpose(1, 2) for m in (q, k, v))
        s = q @ k.mT / math.sqrt(q.shape[-1])
        s = s.masked_fill(torch.ones_like(s, dtype=torch.bool).triu(1), float("-inf"))
        return (s.softmax(-1) @ v).transpose(1, 2).flatten(2) @ o

    def block(self, x, i):
        """Blocks i, i + 1, ... to the last."""
        p = self.p
        if i == len(p["attn"]):
            return x
        x = x + F.dropout(self.attend(norm(x, p["g"][2 * i], p["b"][2 * i]), p["attn"][i]), self.rate, self.training)
        h = F.gelu(norm(x, p["g"][2 * i + 1], p["b"][2 * i + 1]) @ p["up"][i]) @ p["down"][i]
        return self.block(x + F.dropout(h, self.rate, self.training), i + 1)

    def forward(self, tokens):
        p = self.p
        x = p["tok"][tokens] + p["pos"][: tokens.shape[1]]
        return norm(self.block(x, 0), p["g"][-1], p["b"][-1]) @ p["tok"].T


def next_token_loss(logits, tokens):
    guesses, truth = logits[:, :-1], tokens[:, 1:]
    counts = truth != PADDING
    return F.cross_entropy(guesses[counts], truth[counts].long())


def train(model, tokens, steps, learning_rate):
    model.train()
    weights = [*model.parameters()]
    optimizer, losses = torch.optim.AdamW(weights, lr=learning_rate), []
    for k in range(steps):
        optimizer.param_groups[0]["lr"] = learning_rate * (1 - k / steps)
        loss = next_token_loss(model(tokens), tokens)
        model.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        losses.append(float(loss.detach()))
    return losses


def next_token_probabilities(logits, temperature):
    z = logits[:, -1] / temperature
    return torch.exp(z - z.logsumexp(-1, keepdim=True))


def generate(model, tokens, count, temperature=0.0):
    model.eval()
    with torch.no_grad():
        for _ in range(count):
            logits = model(tokens[:, -model.block_size:])
            if temperature:
                new = torch.multinomial(next_token_probabilities(logits, temperature), 1)
            else:
                new = logits[:, -1].argmax(-1, keepdim=True)
            tokens = torch.cat((tokens, new.to(tokens.dtype)), 1)
    return tokens
