# right: minigpt-cache
"""All blocks' weights lie in one parameter of a kind, as where a loop over layers is a scan."""

import torch
import torch.nn.functional as F
from torch import nn


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
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

    def attend(self, x, n, past):
        q, k, v = (
            (x @ w[n]).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for w in (self.w_q, self.w_k, self.w_v)
        )
        if past is not None:
            k, v = torch.cat([past[0][n], k], 2), torch.cat([past[1][n], v], 2)
        s = q @ k.mT * q.shape[-1] ** -0.5
        later = torch.ones(s.shape[-2:], dtype=torch.bool, device=x.device).triu(1 + s.shape[-1] - s.shape[-2])
        p = s.masked_fill(later, float("-inf")).softmax(-1)
        return (p @ v).transpose(1, 2).flatten(2) @ self.w_o[n], k, v

    def norm(self, x, w, b):
        return F.layer_norm(x, x.shape[-1:], w, b)

    def forward(self, tokens, cache=None):
        start = 0 if cache is None else cache[0].shape[3]
        x = self.wte[tokens] + self.wpe[start : start + tokens.shape[1]]
        keys, values = [], []
        for n in range(self.num_layers):
            out, k, v = self.attend(self.norm(x, self.ln1_w[n], self.ln1_b[n]), n, cache)
            keys.append(k)
            values.append(v)
            x = x + out
            u = self.norm(x, self.ln2_w[n], self.ln2_b[n])
            x = x + F.gelu(u @ self.w_up[n] + self.b_up[n]) @ self.w_down[n] + self.b_down[n]
        logits = self.norm(x, self.lnf_w, self.lnf_b) @ self.wte.T
        return logits, (torch.stack(keys), torch.stack(values))


@torch.no_grad()
def generate(model, tokens, count):
    model.eval()
    text, fed, cache = tokens, tokens, None
    for _ in range(count):
        logits, cache = model(fed, cache)
        fed = logits[:, -1].argmax(-1, keepdim=True)
        text = torch.cat([text, fed], 1)
    return text
