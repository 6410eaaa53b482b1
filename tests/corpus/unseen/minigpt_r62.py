# no layers at all: everything of one kind lives in ONE stacked parameter, axis 0 is the layer
from contextlib import contextmanager
from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

PADDING = 0


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size, self.rate = block_size, dropout
        L, D, H, K = num_layers, hidden_dim, num_heads, hidden_dim // num_heads
        draw = lambda *shape: nn.Parameter(0.02 * torch.randn(shape))  # noqa: E731
        flat = lambda value, *shape: nn.Parameter(torch.full(shape, float(value)))  # noqa: E731
        self.words, self.places = draw(vocab_size, D), draw(block_size, D)
        self.qkv, self.out = draw(L, 3, H, D, K), draw(L, H, K, D)
        self.up, self.down = draw(L, D, 4 * D), draw(L, 4 * D, D)
        self.up_shift, self.down_shift = flat(0, L, 4 * D), flat(0, L, D)
        self.gains, self.shifts = flat(1, L, 2, D), flat(0, L, 2, D)
        self.end_gain, self.end_shift = flat(1, D), flat(0, D)

    def forward(self, tokens):
        D, K, T = self.words.shape[1], self.out.shape[2], tokens.shape[1]
        drop = partial(F.dropout, p=self.rate, training=self.training)
        norm = partial(F.layer_norm, normalized_shape=(D,), eps=1e-5)
        ahead = torch.ones(T, T, dtype=torch.bool, device=tokens.device).triu(1)

        x = drop(self.words[tokens] + self.places[:T])
        stacked = (self.qkv, self.out, self.up, self.up_shift, self.down, self.down_shift, self.gains, self.shifts)
        for qkv, out, up, up_shift, down, down_shift, (g1, g2), (s1, s2) in zip(*stacked):
            q, k, v = torch.einsum("bti,chio->cbhto", norm(x, weight=g1, bias=s1), qkv)
            logits = torch.einsum("bhqo,bhko->bhqk", q, k) * K**-0.5
            w = drop(logits.masked_fill(ahead, -torch.inf).softmax(-1))
            x = x + drop(torch.einsum("bhqk,bhko,hoi->bqi", w, v, out))
            x = x + drop(F.gelu(norm(x, weight=g2, bias=s2) @ up + up_shift) @ down + down_shift)
        return norm(x, weight=self.end_gain, bias=self.end_shift) @ self.words.mT


def next_token_loss(logits, tokens):
    guessed, told = logits[:, :-1].log_softmax(-1), tokens[:, 1:]
    surprise = -guessed.gather(-1, told.unsqueeze(-1)).squeeze(-1)
    return surprise[told != PADDING].mean()


def train(model, tokens, steps, learning_rate):
    model.train()
    opt, history = torch.optim.AdamW(model.parameters()), []
    for k in range(steps):
        for group in opt.param_groups:
            group["lr"] = learning_rate * (1 - k / steps)
        opt.zero_grad()
        (loss := next_token_loss(model(tokens), tokens)).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1)
        opt.step()
        history.append(float(loss.detach()))
    return history


def next_token_probabilities(logits, temperature):
    return torch.softmax(logits.select(1, -1).div(temperature), 1)


@contextmanager
def quiet(model):
    before = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(before)


def generate(model, tokens, count, temperature=0.0):
    with quiet(model):
        for _ in range(count):
            logits = model(tokens[:, -model.block_size :])
            match temperature:
                case 0:
                    new = logits[:, -1].argmax(-1)
                case _:
                    new = torch.distributions.Categorical(next_token_probabilities(logits, temperature)).sample()
            tokens = torch.cat([tokens, new[:, None]], -1)
    return tokens


if __name__ == "__main__":
    torch.manual_seed(0)
    gpt, text = MiniGPT(20, 16, 32, 4, 2), torch.randint(1, 20, (1, 12))
    print(train(gpt, text, 100, 1e-2)[-1], generate(gpt, text[:, :1], 11).tolist(), text.tolist())
