# layers are stacked along a leading axis, as one does for jax.lax.scan; the model is functions over tensors
import torch
from torch import nn

PADDING = 0


def norm(x, p):
    var, mean = torch.var_mean(x, dim=-1, keepdim=True, correction=0)
    return (x - mean) / (var + 1e-5).sqrt() * p[0] + p[1]


def gelu(x):
    return x * (1 + torch.erf(x / 2**0.5)) / 2


def attention(x, w, heads):
    q, k, v = torch.einsum("btm,cmn->cbtn", x, w[:3]).unflatten(-1, (heads, -1))
    s = torch.einsum("bihd,bjhd->bhij", q, k) / q.shape[-1] ** 0.5
    i = torch.arange(x.shape[1], device=x.device)
    p = torch.where(i[:, None] >= i, s, -torch.inf).softmax(-1)
    return torch.einsum("bhij,bjhd->bihd", p, v).flatten(2) @ w[3]


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        D, n = hidden_dim, num_layers
        draw = lambda *s, std: nn.Parameter(torch.randn(*s) * std)
        fresh = torch.stack((torch.ones(D), torch.zeros(D)))
        self.block_size, self.heads, self.p = block_size, num_heads, dropout
        self.tok, self.pos = draw(vocab_size, D, std=0.02), draw(block_size, D, std=0.02)
        self.attn = draw(n, 4, D, D, std=D**-0.5)
        self.up, self.down = draw(n, D, 4 * D, std=D**-0.5), draw(n, 4 * D, D, std=(4 * D) ** -0.5)
        self.ln = nn.Parameter(fresh.repeat(n, 2, 1, 1))
        self.ln_f = nn.Parameter(fresh.clone())

    def drop(self, x):
        return torch.dropout(x, self.p, self.training)

    def forward(self, tokens):
        x = self.drop(self.tok[tokens] + self.pos[: tokens.shape[1]])
        for ln, attn, up, down in zip(self.ln, self.attn, self.up, self.down):
            x = x + self.drop(attention(norm(x, ln[0]), attn, self.heads))
            x = x + self.drop(gelu(norm(x, ln[1]) @ up) @ down)
        return torch.einsum("btd,vd->btv", norm(x, self.ln_f), self.tok)


def next_token_loss(logits, tokens):
    guesses, truth = logits[:, :-1], tokens[:, 1:]
    nll = guesses.logsumexp(-1) - guesses.gather(-1, truth[..., None])[..., 0]
    real = truth != PADDING
    return torch.where(real, nll, 0).sum() / real.sum()


def train(model, tokens, steps, learning_rate):
    params = list(model.parameters())
    opt = torch.optim.AdamW(params)
    model.train()

    def step(k):
        for group in opt.param_groups:
            group["lr"] = learning_rate * (1 - k / steps)
        loss = next_token_loss(model(tokens), tokens)
        grads = torch.autograd.grad(loss, params)
        size = torch.sqrt(sum(g.pow(2).sum() for g in grads))
        for p, g in zip(params, grads):
            p.grad = g * torch.clamp(1 / (size + 1e-6), max=1.0)
        opt.step()
        return float(loss)

    return [step(k) for k in range(steps)]


def next_token_probabilities(logits, temperature):
    return (logits[:, -1] / temperature).softmax(-1)


@torch.inference_mode()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    text = list(tokens.unbind(1))
    for _ in range(count):
        logits = model(torch.stack(text[-model.block_size :], 1))
        text.append(
            logits[:, -1].max(-1).indices
            if temperature == 0
            else torch.multinomial(next_token_probabilities(logits, temperature), 1)[:, 0]
        )
    return torch.stack(text, 1)
