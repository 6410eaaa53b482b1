# right: causal remarks: fill-overflows-half
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        d, self.h = cfg["d_model"], cfg["n_heads"]
        self.q_lin = nn.Linear(d, d)
        self.k_lin = nn.Linear(d, d)
        self.v_lin = nn.Linear(d, d)
        self.out_lin = nn.Linear(d, d)
        self.drop = nn.Dropout(cfg.get("dropout", 0.1))
        ones = torch.ones(cfg["max_len"], cfg["max_len"])
        self.register_buffer("lower", torch.tril(ones))

    def forward(self, x):
        bs, seq, d = x.shape
        view = lambda t: t.view(bs, seq, self.h, d // self.h).transpose(1, 2)
        q, k, v = view(self.q_lin(x)), view(self.k_lin(x)), view(self.v_lin(x))
        scores = torch.matmul(q, k.transpose(-1, -2)) / (d // self.h) ** 0.5
        scores = scores + (1.0 - self.lower[:seq, :seq]) * -1e9
        p = self.drop(torch.softmax(scores, dim=-1))
        return self.out_lin(torch.matmul(p, v).transpose(1, 2).contiguous().view(bs, seq, d))
