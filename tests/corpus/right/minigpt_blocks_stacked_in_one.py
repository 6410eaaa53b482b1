# right: minigpt
"""All blocks' weights lie in one parameter of a kind, as where a loop over layers is a scan."""

import torch
import torch.nn.functional as F
from torch import nn


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        L, E, ff = num_layers, hidden_dim, 4 * hidden_dim
        self.block_size, self.num_heads, self.num_layers = block_size, num_heads, num_layers
        self.wte = nn.Parameter(torch.randn(vocab_size, E) * 0.02)
        self.wpe = nn.Parameter(torch.randn(block_size, E) * 0.02)
        self.ln1_w = nn.Parameter(torch.ones(L, E))
        self.ln1_b = nn.Parameter(torch.zeros(L, E))
        self.w_q = nn.Parameter(torch.randn(L, E, E) * E**-0.5)
        self.w_k = nn.Parameter(torch.randn(L, E, E) * E**-0.5)
        self.w_v = nn.Parameter(torch.randn(L, E, E) * E**-0.5)
        self.w_o = nn.Parameter(torch.randn(L, E, E) * E**-0.5)
        self.ln2_w = nn.Parameter(torch.ones(L, E))
        self.ln2_b = nn.Parameter(torch.zeros(L, E))
        self.w_up = nn.Parameter(torch.randn(L, E, ff) * E**-0.5)
        self.b_up = nn.Parameter(torch.zeros(L, ff))
        self.w_down = nn.Parameter(torch.randn(L, ff, E) * ff**-0.5)
        self.b_down = nn.Parameter(torch.zeros(L, E))
        self.lnf_w = nn.Parameter(torch.ones(E))
        self.lnf_b = nn.Parameter(torch.zeros(E))
        self.rate = dropout

    def attend(self, x, n):
        q, k, v = (
            (x @ w[n]).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for w in (self.w_q, self.w_k, self.w_v)
        )
        s = q @ k.mT * q.shape[-1] ** -0.5
        later = torch.ones(s.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
        p = s.masked_fill(later, float("-inf")).softmax(-1)
        return (p @ v).transpose(1, 2).flatten(2) @ self.w_o[n]

    def norm(self, x, w, b):
        return F.layer_norm(x, x.shape[-1:], w, b)

    def forward(self, tokens):
        x = F.dropout(self.wte[tokens] + self.wpe[: tokens.shape[1]], self.rate, self.training)
        for n in range(self.num_layers):
            x = x + self.attend(self.norm(x, self.ln1_w[n], self.ln1_b[n]), n)
            u = self.norm(x, self.ln2_w[n], self.ln2_b[n])
            x = x + F.gelu(u @ self.w_up[n] + self.b_up[n]) @ self.w_down[n] + self.b_down[n]
        return self.norm(x, self.lnf_w, self.lnf_b) @ self.wte.T


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
