"""I usually write this in JAX, so: a tree of parameters, and pure functions of (params, x)."""
import math
from functools import partial

import torch
from torch import nn
from torch.func import vmap

PADDING = 0


def layer_norm(params, x, eps=1e-5):
    centred = x - x.mean(-1, keepdims=True)
    variance = (centred**2).mean(-1, keepdims=True)
    return centred * torch.rsqrt(variance + eps) * params["scale"] + params["offset"]


def dense(params, x):
    return x @ params["w"] + params["b"]


def gelu(x):
    return 0.5 * x * (1.0 + torch.erf(x / math.sqrt(2.0)))


def one_head(bias, q, k, v):
    """(T, D) each; mapped over batch and heads below."""
    logits = q @ k.T / math.sqrt(q.shape[-1])
    return torch.softmax(logits + bias, -1) @ v


def attention(params, x, num_heads):
    b, t, c = x.shape
    bias = torch.full((t, t), float("-inf"), dtype=x.dtype, device=x.device).triu(1)
    q, k, v = (dense(params[n], x).reshape(b, t, num_heads, c // num_heads) for n in "qkv")
    over_heads = vmap(partial(one_head, bias), in_dims=1, out_dims=1)
    over_batch = vmap(over_heads)
    return dense(params["o"], over_batch(q, k, v).reshape(b, t, c))


def mlp(params, x):
    return dense(params["down"], gelu(dense(params["up"], x)))


def block(params, num_heads, x):
    x = x + attention(params["attn"], layer_norm(params["ln1"], x), num_heads)
    return x + mlp(params["mlp"], layer_norm(params["ln2"], x))


def init_dense(d_in, d_out):
    return nn.ParameterDict({"w": torch.randn(d_in, d_out) * 0.02, "b": torch.zeros(d_out)})


def init_norm(d):
    return nn.ParameterDict({"scale": torch.ones(d), "offset": torch.zeros(d)})


def init_block(d):
    return nn.ModuleDict({
        "ln1": init_norm(d),
        "attn": nn.ModuleDict({n: init_dense(d, d) for n in "qkvo"}),
        "ln2": init_norm(d),
        "mlp": nn.ModuleDict({"up": init_dense(d, 4 * d), "down": init_dense(4 * d, d)}),
    })


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size, self.num_heads = block_size, num_heads
        self.tables = nn.ParameterDict({
            "token": torch.randn(vocab_size, hidden_dim) * 0.02,
            "position": torch.randn(block_size, hidden_dim) * 0.02,
        })
        self.layers = nn.ModuleList([init_block(hidden_dim) for _ in range(num_layers)])
        self.ln_f = init_norm(hidden_dim)

    def forward(self, tokens):
        x = self.tables["token"][tokens.long()] + self.tables["position"][: tokens.shape[1]]
        for params in self.layers:
            x = block(params, self.num_heads, x)
        return layer_norm(self.ln_f, x) @ self.tables["token"].T


def next_token_loss(logits, tokens):
    targets = tokens[:, 1:].long()
    log_p = torch.log_softmax(logits[:, :-1], -1)
    picked = torch.take_along_dim(log_p, targets[..., None], -1)[..., 0]
    weight = (targets != PADDING).to(picked.dtype)
    return -(picked * weight).sum() / weight.sum()


def train(model, tokens, steps, learning_rate):
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    for k in range(steps):
        for group in opt.param_groups:
            group["lr"] = learning_rate * (1 - k / steps)
        opt.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits, temperature):
    return torch.softmax(logits[:, -1] / temperature, -1)


def generate(model, tokens, count, temperature=0.0):
    model.eval()
    with torch.no_grad():
        for _ in range(count):
            logits = model(tokens[:, -model.block_size :])
            if temperature == 0:
                new = logits[:, -1].argmax(-1, keepdim=True)
            else:
                new = torch.multinomial(next_token_probabilities(logits, temperature), 1)
            tokens = torch.cat([tokens, new.to(tokens.dtype)], 1)
    return tokens
