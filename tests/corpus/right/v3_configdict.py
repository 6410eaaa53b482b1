# right: v3
import torch
import torch.nn as nn

DEFAULTS = {"hidden_dim": 64, "dropout": 0.1, "bias": True}


class SelfAttentionV3(nn.Module):
    def __init__(self, config: dict):
        super().__init__()
        cfg = {**DEFAULTS, **config}
        self.hidden_dim = cfg["hidden_dim"]
        self.layers = nn.ModuleDict(
            {
                "qkv": nn.Linear(self.hidden_dim, 3 * self.hidden_dim, bias=cfg["bias"]),
                "drop": nn.Dropout(cfg["dropout"]),
                "out": nn.Linear(self.hidden_dim, self.hidden_dim, bias=cfg["bias"]),
            }
        )

    def forward(self, x, attention_mask=None):
        q, k, v = self.layers["qkv"](x).chunk(3, dim=-1)
        scores = q.matmul(k.transpose(-1, -2)).mul(self.hidden_dim ** -0.5)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, -1e9)
        probs = self.layers["drop"](scores.softmax(dim=-1))
        return self.layers["out"](probs.matmul(v))
