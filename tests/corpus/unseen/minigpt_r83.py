import torch
from torch import nn
from torch.nn import functional as F

PADDING = 0


def norm(x, gain):
    return F.layer_norm(x, x.shape[-1:], gain)


class MiniGPT(nn.Module):
    """No submodules at all: a flat list of parameters, read in order."""

    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        d, s = hidden_dim, hidden_dim**-0.5
        self.block_size, self.heads, self.rate = block_size, num_heads, dropout
        self.tokens_table = nn.Parameter(torch.randn(vocab_size, d) * 0.02)
        self.places_table = nn.Parameter(torch.randn(block_size, d) * 0.02)
        self.attn_gain = nn.Parameter(torch.ones(num_layers, d))
        self.attn_in = nn.Parameter(torch.randn(num_layers, 3, d, d) * s)
        self.attn_out = nn.Parameter(torch.randn(num_layers, d, d) * s)
        self.mlp_gain = nn.Parameter(torch.ones(num_layers, d))
        self.mlp_up = nn.Parameter(torch.randn(num_layers, d, 4 * d) * s)
        self.mlp_down = nn.Parameter(torch.randn(num_layers, 4 * d, d) * s / 2)
        self.last_gain = nn.Parameter(torch.ones(d))

    def attend(self, u, w):
        q, k, v = (u @ m for m in w)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (q, k, v))
        s = q @ k.mT / q.size(-1) ** 0.5
        n = u.size(1)
        s = s.masked_fill(torch.ones(n, n, device=u.device).triu(1).bool(), torch.finfo(s.dtype).min)
        return (s.softmax(-1) @ v).transpose(1, 2).flatten(2)

    def forward(self, tokens):
        x = self.tokens_table[tokens] + self.places_table.narrow(0, 0, tokens.size(1))
        x = F.dropout(x, self.rate, self.training)
        per_layer = zip(self.attn_gain, self.attn_in, self.attn_out, self.mlp_gain, self.mlp_up, self.mlp_down)
        for g1, w_in, w_out, g2, up, down in per_layer:
            x = x + self.attend(norm(x, g1), w_in) @ w_out
            x = x + F.gelu(norm(x, g2) @ up) @ down
        return norm(x, self.last_gain) @ self.tokens_table.mT


def next_token_loss(logits, tokens):
    guess, goal = logits[:, :-1], tokens[:, 1:]
    real = (goal != PADDING).to(logits.dtype)
    nll = guess.logsumexp(-1) - guess.gather(-1, goal[..., None])[..., 0]
    return (nll * real).sum() / real.sum().clamp(min=1)


def train(model, tokens, steps, learning_rate):
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    while len(losses) < steps:
        model.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1)
        for group in optimizer.param_groups:
            group.update(lr=learning_rate * (1 - len(losses) / steps))
        optimizer.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits, temperature):
    return logits[:, -1].div(temperature).softmax(dim=1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    text = tokens
    for _ in range(count):
        logits = model(text[:, -model.block_size :])
        if temperature:
            pick = next_token_probabilities(logits, temperature).multinomial(1)
        else:
            pick = logits[:, -1].topk(1, dim=-1).indices
        text = torch.hstack([text, pick])
    return text
