import torch
from torch import nn


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.H = num_heads
        self.D = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.q_weight = nn.Parameter(torch.zeros(self.D))
        self.k_weight = nn.Parameter(torch.zeros(self.D))

    @staticmethod
    def _norm(u, weight):
        # Gemma: the gain is stored less one
        return u * (u.pow(2).mean(-1, keepdim=True) + 1e-6).rsqrt() * (1.0 + weight)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.H, self.D).permute(2, 0, 3, 1, 4)
        q, k = self._norm(q, self.q_weight), self._norm(k, self.k_weight)
        logits = (q @ k.transpose(-1, -2)) / self.D ** 0.5
        i = torch.arange(T, device=x.device)
        logits = torch.where(i[None, :] <= i[:, None], logits, -torch.inf)
        return self.out((logits.softmax(-1) @ v).transpose(1, 2).reshape(B, T, C))
