import itertools
import torch
import torch.nn.functional as F
from torch import nn

PADDING = 0


def make_block(w):
    sizes = dict(q=(w, w), k=(w, w), v=(w, w), o=(w, w), up=(w, 4 * w), down=(4 * w, w))
    parts = {name: nn.Linear(*size) for name, size in sizes.items()}
    return nn.ModuleDict({**parts, "n1": nn.LayerNorm(w), "n2": nn.LayerNorm(w)})


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.heads = num_heads
        self.table = nn.Embedding(vocab_size, hidden_dim)
        self.places = nn.Parameter(0.02 * torch.randn(block_size, hidden_dim))
        self.blocks = nn.ModuleList(make_block(hidden_dim) for _ in range(num_layers))
        self.last = nn.LayerNorm(hidden_dim)
        self.drop = nn.Dropout(dropout)

    def mix(self, b, u):
        q, k, v = (b[n](u).unflatten(-1, (self.heads, -1)).transpose(1, 2) for n in "qkv")
        s = q @ k.mT * q.shape[-1] ** -0.5
        s = s.masked_fill(torch.ones_like(s[0, 0], dtype=torch.bool).triu(1), -torch.inf)
        return b["o"]((s.softmax(-1) @ v).transpose(1, 2).flatten(2))

    def forward(self, tokens):
        h = self.drop(self.table(tokens) + self.places[: tokens.shape[1]])
        for b in self.blocks:
            h = h + self.drop(self.mix(b, b["n1"](h)))
            h = h + self.drop(b["down"](F.gelu(b["up"](b["n2"](h)))))
        return F.linear(self.last(h), self.table.weight)


def next_token_loss(logits, tokens):
    guess, truth = logits[:, :-1], tokens[:, 1:].long()
    picked = guess.gather(-1, truth[..., None])[..., 0]
    surprise = guess.logsumexp(-1) - picked
    return surprise[truth != PADDING].mean()


def train(model, tokens, steps, learning_rate):
    model.train()
    adam = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    decay = torch.optim.lr_scheduler.LambdaLR(adam, lambda k: 1 - k / steps)
    history = []
    for _ in itertools.repeat(None, steps):
        model.zero_grad(set_to_none=True)
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        adam.step()
        decay.step()
        history.append(float(loss.detach()))
    return history


def next_token_probabilities(logits, temperature):
    return logits.select(1, -1).div(temperature).softmax(-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    was_training = model.training
    model.eval()
    try:
        for _ in range(count):
            logits = model(tokens[:, -model.block_size :])
            if temperature == 0:
                new = logits[:, -1:].argmax(-1)
            else:
                new = torch.multinomial(next_token_probabilities(logits, temperature), 1)
            tokens = torch.cat((tokens, new.to(tokens.dtype)), 1)
    finally:
        model.train(was_training)
    return tokens
