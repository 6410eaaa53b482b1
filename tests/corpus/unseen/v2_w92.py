from torch import nn
import torch


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim: int):
        super().__init__()
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3)
        self.dim = self.to_qkv.out_features

    @staticmethod
    def dot_product_attention(q, k, v, dim):
        logits = torch.bmm(q, k.transpose(1, 2)).div(dim**0.5)
        return torch.bmm(logits.softmax(dim=2), v)

    def forward(self, x):
        width = x.shape[-1]
        q, k, v = self.to_qkv(x).split(width, dim=-1)
        return self.dot_product_attention(q, k, v, self.dim)
