import math
import torch
from torch import nn


class DifferentialAttention(nn.Module):
    """
    Args:
        hidden_dim: model width
        num_heads:  number of differential heads (half of the number of softmax maps)
        depth:      index of the layer, 0-based
    """

    def __init__(self, hidden_dim, num_heads, depth):
        super(DifferentialAttention, self).__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads // 2
        self.scaling = self.head_dim ** -0.5
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        for name in ("lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2"):
            self.register_parameter(name, nn.Parameter(torch.normal(0.0, 0.1, (self.head_dim,))))
        self.gain = nn.Parameter(torch.ones(2 * self.head_dim))
        self.register_buffer("lambda_init", torch.tensor(0.8 - 0.6 * math.exp(-0.3 * depth), dtype=torch.float64), persistent=False)

    def _lambda(self):
        lam_1 = torch.exp(torch.sum(self.lambda_q1 * self.lambda_k1, dim=-1))
        lam_2 = torch.exp(torch.sum(self.lambda_q2 * self.lambda_k2, dim=-1))
        return lam_1 - lam_2 + self.lambda_init

    def _rms(self, t):
        return t / (t.square().mean(dim=-1, keepdim=True) + 1e-5).sqrt() * self.gain

    def forward(self, x):
        bsz, tgt_len, embed_dim = x.shape
        q = self.wq(x).view(bsz, tgt_len, 2 * self.num_heads, self.head_dim).transpose(1, 2) * self.scaling
        k = self.wk(x).view(bsz, tgt_len, 2 * self.num_heads, self.head_dim).transpose(1, 2)
        v = self.wv(x).view(bsz, tgt_len, self.num_heads, 2 * self.head_dim).transpose(1, 2)

        scores = torch.matmul(q, k.transpose(2, 3))
        causal = torch.tril(scores.new_ones(tgt_len, tgt_len)).bool()
        probs = torch.softmax(scores.masked_fill(causal.logical_not(), -math.inf), dim=-1)

        lam = self._lambda()
        diff = probs[:, 0::2] - lam * probs[:, 1::2]
        heads = self._rms(torch.matmul(diff, v))
        heads = heads * (1 - lam)
        return self.wo(heads.transpose(1, 2).reshape(bsz, tgt_len, embed_dim))
