"""openai/finetune-transformer-lm (GPT-1, TensorFlow) from memory: tokens and positions share the table
`we`, positions behind the tokens; conv1d weights are (1, nx, nf); g and b for the norms. Pre-norm here."""
import math
import torch
import torch.nn.functional as F
from torch import nn

PADDING = 0


class conv1d(nn.Module):
    def __init__(self, nx, nf):
        super().__init__()
        self.w = nn.Parameter(torch.randn(1, nx, nf) * 0.02)
        self.b = nn.Parameter(torch.zeros(nf))

    def forward(self, x):
        return torch.matmul(x, self.w) + self.b


class norm(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.g = nn.Parameter(torch.ones(n))
        self.b = nn.Parameter(torch.zeros(n))

    def forward(self, x):
        u = x.mean(-1, keepdim=True)
        s = (x - u).pow(2).mean(-1, keepdim=True)
        return self.g * ((x - u) * torch.rsqrt(s + 1e-5)) + self.b


class block(nn.Module):
    def __init__(self, nx, n_head, pdrop):
        super().__init__()
        self.n_head, self.pdrop = n_head, pdrop
        self.attn = nn.ModuleDict({"c_attn": conv1d(nx, 3 * nx), "c_proj": conv1d(nx, nx)})
        self.ln_1 = norm(nx)
        self.mlp = nn.ModuleDict({"c_fc": conv1d(nx, 4 * nx), "c_proj": conv1d(4 * nx, nx)})
        self.ln_2 = norm(nx)

    def forward(self, x):
        n, t, nx = x.shape
        q, k, v = self.attn["c_attn"](self.ln_1(x)).reshape(n, t, 3, self.n_head, -1).permute(2, 0, 3, 1, 4)
        w = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
        b = torch.ones(t, t, device=x.device, dtype=w.dtype).tril()
        w = (w * b + -1e4 * (1 - b)).softmax(-1)
        w = F.dropout(w, self.pdrop, self.training)
        a = (w @ v).transpose(1, 2).reshape(n, t, nx)
        x = x + self.attn["c_proj"](a)
        return x + self.mlp["c_proj"](F.gelu(self.mlp["c_fc"](self.ln_2(x))))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.n_vocab, self.block_size = vocab_size, block_size
        self.we = nn.Parameter(torch.randn(vocab_size + block_size, hidden_dim) * 0.02)
        self.names = [f"h{layer}" for layer in range(num_layers)]
        for name in self.names:
            setattr(self, name, block(hidden_dim, num_heads, dropout))
        self.ln_f = norm(hidden_dim)

    def forward(self, tokens):
        places = torch.arange(self.n_vocab, self.n_vocab + tokens.shape[1], device=tokens.device)
        X = torch.stack([tokens, places.expand_as(tokens)], dim=2)
        h = self.we[X].sum(2)
        for name in self.names:
            h = getattr(self, name)(h)
        return torch.matmul(self.ln_f(h), self.we[: self.n_vocab].T)


def next_token_loss(logits, tokens):
    targets = tokens[:, 1:].reshape(-1)
    losses = F.cross_entropy(logits[:, :-1].reshape(-1, logits.shape[-1]), targets, reduction="none")
    M = (targets != PADDING).to(losses.dtype)
    return (losses * M).sum() / M.sum()


def train(model, tokens, steps, learning_rate):
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    out = []
    for k in range(steps):
        opt.param_groups[0]["lr"] = learning_rate * (1 - k / steps)
        loss = next_token_loss(model(tokens), tokens)
        model.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1)
        opt.step()
        out.append(loss.item())
    return out


def next_token_probabilities(logits, temperature):
    return torch.softmax(logits[:, -1, :].div(temperature), dim=1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        lg = model(tokens[:, max(0, tokens.shape[1] - model.block_size) :])
        if temperature == 0.0:
            nxt = lg[:, -1].max(dim=-1).indices[:, None]
        else:
            nxt = torch.distributions.Categorical(next_token_probabilities(lg, temperature), validate_args=False)
            nxt = nxt.sample().unsqueeze(1)
        tokens = torch.hstack([tokens, nxt])
    return tokens
