# after Karpathy's microgpt: one flat state dict, functions linear/gpt, names 'layer0.attn_wq'
import torch
from torch import nn
from torch.nn import functional as F

PADDING = 0


def matrix(nout, nin, std=0.02):
    return nn.Parameter(torch.randn(nout, nin) * std)


def linear(x, w):
    return x @ w.t()


def layernorm(x, g):
    x = x - x.mean(-1, keepdim=True)
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5) * g


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.n_head, self.n_layer, self.block_size = num_heads, num_layers, block_size
        n = hidden_dim
        sd = {"wte": matrix(vocab_size, n), "wpe": matrix(block_size, n)}
        for i in range(num_layers):
            sd[f"layer{i}_attn_wq"] = matrix(n, n)
            sd[f"layer{i}_attn_wk"] = matrix(n, n)
            sd[f"layer{i}_attn_wv"] = matrix(n, n)
            sd[f"layer{i}_attn_wo"] = matrix(n, n)
            sd[f"layer{i}_mlp_fc1"] = matrix(4 * n, n)
            sd[f"layer{i}_mlp_fc2"] = matrix(n, 4 * n)
        sd["norms"] = nn.Parameter(torch.ones(2 * num_layers + 1, n))  # the last one is the final one
        self.sd = nn.ParameterDict(sd)

    def heads(self, x):
        return torch.stack(x.chunk(self.n_head, dim=-1), dim=1)

    def forward(self, tokens):
        sd = self.sd
        T = tokens.size(1)
        x = F.embedding(tokens, sd["wte"]) + sd["wpe"][:T]
        for li in range(self.n_layer):
            h = layernorm(x, sd["norms"][2 * li])
            q, k, v = (self.heads(linear(h, sd[f"layer{li}_attn_w{c}"])) for c in "qkv")
            logits = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
            for_later = torch.arange(T, device=x.device)[:, None] < torch.arange(T, device=x.device)
            logits = logits.masked_fill(for_later, float("-inf"))
            h = torch.cat((torch.softmax(logits, -1) @ v).unbind(1), dim=-1)
            x = x + linear(h, sd[f"layer{li}_attn_wo"])
            h = layernorm(x, sd["norms"][2 * li + 1])
            x = x + linear(F.gelu(linear(h, sd[f"layer{li}_mlp_fc1"])), sd[f"layer{li}_mlp_fc2"])
        return linear(layernorm(x, sd["norms"][-1]), sd["wte"])


def next_token_loss(logits, tokens):
    guess = logits[:, :-1, :].transpose(1, 2)
    return F.cross_entropy(guess, tokens[:, 1:], ignore_index=PADDING)


def train(model, tokens, steps, learning_rate):
    model.train()
    params = list(model.parameters())
    optimizer = torch.optim.AdamW(params, lr=learning_rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: 1 - k / max(steps, 1))
    losses = []
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(params, max_norm=1.0)
        optimizer.step()
        schedule.step()
        losses.append(float(loss.detach()))
    return losses


def next_token_probabilities(logits, temperature):
    return F.softmax(logits[:, -1, :] / temperature, dim=-1)


def generate(model, tokens, count, temperature=0.0):
    was_training = model.training
    model.eval()
    text = tokens
    with torch.inference_mode():
        while text.size(1) < tokens.size(1) + count:
            logits = model(text[:, -model.block_size:])
            if temperature > 0.0:
                p = next_token_probabilities(logits, temperature)
                nxt = torch.multinomial(p, num_samples=1)
            else:
                nxt = torch.argmax(logits[:, -1:, :], dim=-1)
            text = torch.cat((text, nxt), dim=1)
    model.train(was_training)
    return text.clone()
