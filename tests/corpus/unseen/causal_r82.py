import math
import os

import torch
from torch import nn

USE_BIAS = os.environ.get("ATTN_BIAS", "1") != "0"
DROP_RATE = float(os.environ.get("ATTN_DROPOUT", "0.0"))


class CausalSelfAttention(nn.Module):
    STAGES = {"project": "score", "score": "mask", "mask": "normalise", "normalise": "mix", "mix": None}

    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        assert hidden_dim % num_heads == 0, (hidden_dim, num_heads)
        self.n_head = num_heads
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim, bias=USE_BIAS)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim, bias=USE_BIAS)
        self.attn_dropout = nn.Dropout(DROP_RATE)
        allowed = torch.ones(block_size, block_size, dtype=torch.bool).tril()
        self.register_buffer("allowed", allowed, persistent=False)

    def project(self, s):
        x = s["x"]
        parts = self.c_attn(x).split(x.size(2), dim=2)
        for name, part in zip("qkv", parts):
            s[name] = part.view(*x.shape[:2], self.n_head, -1).transpose(1, 2)

    def score(self, s):
        s["att"] = (s["q"] @ s["k"].transpose(-2, -1)) / math.sqrt(s["k"].size(-1))

    def mask(self, s):
        t = s["x"].size(1)
        s["att"] = s["att"].masked_fill(~self.allowed[:t, :t], float("-inf"))

    def normalise(self, s):
        s["att"] = self.attn_dropout(s["att"].softmax(dim=-1))

    def mix(self, s):
        s["y"] = (s["att"] @ s["v"]).transpose(1, 2).reshape(s["x"].shape)

    def forward(self, x):
        state, stage = {"x": x}, "project"
        while stage is not None:
            getattr(self, stage)(state)
            stage = self.STAGES[stage]
        return self.c_proj(state["y"])
