# right: minigpt
"""Layers stacked on axis 1, the way T5X saves a model that is scanned over its layers."""
import torch
import torch.nn.functional as F
from torch import nn

PADDING = 0


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size, self.num_heads, self.num_layers = block_size, num_heads, num_layers
        self.dropout = dropout
        e, n = hidden_dim, num_layers
        self.target = nn.ParameterDict(
            {
                "token_embedder": torch.randn(vocab_size, e) * 0.02,
                "position_embedder": torch.randn(block_size, e) * 0.02,
                "pre_attention_layer_norm_scale": torch.ones(e, n),
                "attention_qkv_fused_kernel": torch.randn(e, n, 3, num_heads, e // num_heads) * e**-0.5,
                "attention_out_kernel": torch.randn(num_heads, n, e // num_heads, e) * e**-0.5,
                "pre_mlp_layer_norm_scale": torch.ones(e, n),
                "mlp_wi_kernel": torch.randn(e, n, 4 * e) * e**-0.5,
                "mlp_wo_kernel": torch.randn(4 * e, n, e) * (4 * e) ** -0.5,
                "decoder_norm_scale": torch.ones(e),
            }
        )

    def drop(self, x):
        return F.dropout(x, self.dropout, self.training)

    def forward(self, tokens):
        p = self.target
        width = p["decoder_norm_scale"].shape
        t = tokens.shape[1]
        x = self.drop(p["token_embedder"][tokens] + p["position_embedder"][:t])
        bias = torch.full((t, t), float("-inf"), device=x.device, dtype=x.dtype).triu(1)
        for i in range(self.num_layers):
            y = F.layer_norm(x, width, p["pre_attention_layer_norm_scale"][:, i])
            q, k, v = torch.einsum("bte,ekhd->kbhtd", y, p["attention_qkv_fused_kernel"][:, i])
            w = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5 + bias, dim=-1)
            y = torch.einsum("bhtd,hde->bte", w @ v, p["attention_out_kernel"][:, i])
            x = x + self.drop(y)
            y = F.layer_norm(x, width, p["pre_mlp_layer_norm_scale"][:, i])
            x = x + self.drop(F.gelu(y @ p["mlp_wi_kernel"][:, i]) @ p["mlp_wo_kernel"][:, i])
        x = F.layer_norm(x, width, p["decoder_norm_scale"])
        return x @ p["token_embedder"].T


def next_token_loss(logits, tokens):
    log_p = F.log_softmax(logits[:, :-1], dim=-1)
    labels = tokens[:, 1:]
    nll = -log_p.gather(-1, labels[..., None]).squeeze(-1)
    real = labels != PADDING
    return nll[real].mean()


def train(model, tokens, steps, learning_rate):
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    history = []
    for k in range(steps):
        for group in opt.param_groups:
            group["lr"] = learning_rate * (1 - k / steps)
        opt.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        history.append(loss.item())
    return history


def next_token_probabilities(logits, temperature):
    return (logits[:, -1] / temperature).softmax(dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size :])
        if temperature == 0:
            new = logits[:, -1].argmax(-1, keepdim=True)
        else:
            new = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
