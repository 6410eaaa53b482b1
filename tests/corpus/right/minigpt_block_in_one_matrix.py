# right: minigpt
import math

import torch
import torch.nn.functional as F
from torch import nn

PADDING = 0


class Weights(nn.Module):
    """Only holds parameters. Block l's matrices lie side by side in `pack[l]`, (E, 12 E):

    columns 0..E out, E..4E query key value, 4E..8E up, 8E..12E down (transposed).
    """

    def __init__(self, V, N, E, L):
        super().__init__()
        self.table = nn.Parameter(torch.empty(V, E))
        self.place = nn.Parameter(torch.empty(N, E))
        self.pack = nn.ParameterList([nn.Parameter(torch.empty(E, 12 * E)) for _ in range(L)])
        self.gain = nn.ParameterList([nn.Parameter(torch.ones(E)) for _ in range(2 * L + 1)])
        self.shift = nn.ParameterList([nn.Parameter(torch.zeros(E)) for _ in range(2 * L + 1)])
        with torch.no_grad():
            for w in (self.table, self.place, *self.pack):
                w.normal_(std=0.02)


def normed(w, x, i):
    return F.layer_norm(x, x.shape[-1:], w.gain[i], w.shift[i], eps=1e-5)


def causal_attention(x, w_qkv, w_out, heads):
    B, T, E = x.shape
    q, k, v = (x @ w_qkv).tensor_split(3, dim=-1)
    mask = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
    outs = []
    for qh, kh, vh in zip(q.tensor_split(heads, -1), k.tensor_split(heads, -1), v.tensor_split(heads, -1)):
        s = torch.matmul(qh, kh.transpose(1, 2)).div(math.sqrt(qh.shape[-1]))
        outs.append(s.masked_fill(mask, float("-inf")).softmax(2) @ vh)
    return torch.cat(outs, dim=-1) @ w_out


def run(w, tokens, heads):
    x = w.table[tokens] + w.place[: tokens.shape[1]]
    E = x.shape[-1]
    for l, pack in enumerate(w.pack):
        out, qkv, up, down = pack.split([E, 3 * E, 4 * E, 4 * E], dim=1)
        x = x + causal_attention(normed(w, x, 2 * l), qkv, out, heads)
        x = x + F.gelu(normed(w, x, 2 * l + 1) @ up) @ down.T
    return normed(w, x, -1) @ w.table.T


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.heads = num_heads
        self.w = Weights(vocab_size, block_size, hidden_dim, num_layers)

    def forward(self, tokens):
        return run(self.w, tokens, self.heads)


def next_token_loss(logits, tokens):
    guess, target = logits[:, :-1], tokens[:, 1:]
    return F.nll_loss(guess.log_softmax(-1).flatten(0, 1), target.flatten(), ignore_index=PADDING)


def train(model, tokens, steps, learning_rate):
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    while len(losses) < steps:
        opt.param_groups[0]["lr"] = learning_rate * (1 - len(losses) / steps)
        opt.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits, temperature):
    return logits[:, -1].div(temperature).softmax(-1)


def generate(model, tokens, count, temperature=0.0):
    def pick(logits):
        if temperature == 0:
            return logits[:, -1].max(-1, keepdim=True).indices
        return torch.multinomial(next_token_probabilities(logits, temperature), 1)

    model.eval()
    with torch.no_grad():
        for _ in range(count):
            tokens = torch.cat((tokens, pick(model(tokens[:, -model.block_size:]))), dim=1)
    return tokens
