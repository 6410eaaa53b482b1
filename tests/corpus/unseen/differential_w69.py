import math
import torch
from torch import nn
from torch.nn import functional as F


def lambda_init_fn(layer_idx):
    return 0.8 - 0.6 * math.exp(-0.3 * (layer_idx - 1))


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, depth):
        super().__init__()
        units = hidden_dim // num_heads // 2
        self.num_heads, self.units = num_heads, units
        self.lambda_init = lambda_init_fn(depth)
        self.query_dense = nn.Linear(hidden_dim, hidden_dim)
        self.key_dense = nn.Linear(hidden_dim, hidden_dim)
        self.value_dense = nn.Linear(hidden_dim, hidden_dim)
        self.output_dense = nn.Linear(hidden_dim, hidden_dim)
        for name in ("lq1", "lk1", "lq2", "lk2"):
            self.register_parameter(name, nn.Parameter(torch.normal(0.0, 0.1, [units])))
        self.gamma = nn.Parameter(torch.ones([2 * units]))

    def call(self, inputs):
        batch, steps, _ = inputs.shape
        h, u = self.num_heads, self.units

        def split(t, n, width):
            return torch.permute(torch.reshape(t, [batch, steps, n, width]), [0, 2, 1, 3])

        q = split(self.query_dense(inputs), 2 * h, u)
        k = split(self.key_dense(inputs), 2 * h, u)
        v = split(self.value_dense(inputs), h, 2 * u)
        logits = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(u)
        causal = torch.tril(torch.ones([steps, steps], device=inputs.device)).bool()
        probs = F.softmax(torch.where(causal, logits, -math.inf), dim=-1)
        lam = (
            torch.exp(torch.sum(self.lq1 * self.lk1))
            - torch.exp(torch.sum(self.lq2 * self.lk2))
            + self.lambda_init
        )
        diff = probs[:, 0::2] - lam * probs[:, 1::2]
        ctx = F.rms_norm(torch.matmul(diff, v), [2 * u], self.gamma, 1e-5) * (1 - self.lambda_init)
        return self.output_dense(torch.reshape(torch.permute(ctx, [0, 2, 1, 3]), inputs.shape))

    def forward(self, x):
        return self.call(x)
