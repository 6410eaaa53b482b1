import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.dk = d // h
        self.W = nn.ModuleDict({name: nn.Linear(d, d) for name in ("q", "k", "v", "o")})

    def heads(self, name, x):
        return self.W[name](x).view(x.size(0), x.size(1), self.h, self.dk).permute(0, 2, 1, 3)

    def forward(self, x, attn_bias):
        q, k, v = self.heads("q", x), self.heads("k", x), self.heads("v", x)
        logits = torch.matmul(q, k.transpose(2, 3)) / self.dk ** 0.5 + attn_bias
        probs = torch.nan_to_num(torch.softmax(logits, dim=-1))  # leading pads see no key
        y = torch.matmul(probs, v).permute(0, 2, 1, 3).reshape(x.shape)
        return self.W["o"](y)


class Layer(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.ln_attn, self.ln_mlp = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attn = SelfAttention(d, h)
        self.fc_in, self.fc_out = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x, attn_bias):
        x = x + self.attn(self.ln_attn(x), attn_bias)
        return x + self.fc_out(F.gelu(self.fc_in(self.ln_mlp(x))))


class GPTBody(nn.Module):
    def __init__(self, vocab_size, block_size, d, h, n):
        super().__init__()
        self.tok = nn.Embedding(vocab_size, d)
        self.pos = nn.Embedding(block_size, d)
        self.layers = nn.ModuleList([Layer(d, h) for _ in range(n)])
        self.ln = nn.LayerNorm(d)

    def forward(self, ids, pos_ids, attn_bias):
        x = self.tok(ids) + self.pos(pos_ids)
        for layer in self.layers:
            x = layer(x, attn_bias)
        return self.ln(x)


def make_bias(real, dtype):
    """(batch, 1, length, length): 0 where a query may look, -inf where not"""
    n = real.size(1)
    ok = torch.ones(n, n, dtype=torch.bool, device=real.device).tril() & real[:, None, :]
    bias = torch.zeros(ok.shape, dtype=dtype, device=real.device)
    return bias.masked_fill(~ok, float("-inf")).unsqueeze(1)


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        self.body = GPTBody(vocab_size, block_size, hidden_dim, num_heads, num_layers)
        self.classifier = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens, mask):
        real = mask > 0
        pos_ids = torch.where(real, real.long().cumsum(1) - 1, torch.zeros_like(tokens))
        dtype = self.classifier.weight.dtype
        h = self.body(tokens, pos_ids, make_bias(real, dtype))
        w = real.to(dtype)
        mean = torch.bmm(w.unsqueeze(1), h).squeeze(1) / real.sum(1, keepdim=True)
        return self.classifier(mean)
