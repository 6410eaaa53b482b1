import torch
from torch import nn

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class MaskMixin:
    def restrict(self, scores, mask):
        """scores: (B, H, T, T)"""
        if mask is None:
            return scores
        return torch.where(mask.to(scores.device) != 0, scores, torch.finfo(scores.dtype).min)


class MultiQueryAttention(MaskMixin, nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.H, self.D = num_heads, hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, self.H * self.D)
        self.key = nn.Linear(hidden_dim, self.D)
        self.value = nn.Linear(hidden_dim, self.D)
        self.output = nn.Linear(self.H * self.D, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, _ = x.shape
        # one key head: all (head, position) pairs are simply H*T queries
        q = self.query(x).view(B, T, self.H, self.D).transpose(1, 2).reshape(B, self.H * T, self.D)
        k, v = self.key(x), self.value(x)
        scores = torch.bmm(q, k.transpose(1, 2)).div(self.D ** 0.5).view(B, self.H, T, T)
        probs = self.restrict(scores, attention_mask).softmax(-1)
        ctx = torch.bmm(probs.view(B, self.H * T, T), v).view(B, self.H, T, self.D)
        return self.output(ctx.transpose(1, 2).flatten(2))


if __name__ == "__main__":
    layer = MultiQueryAttention(32, 4).to(DEVICE)
    sample = torch.randn(2, 6, 32, device=DEVICE)
    print(layer(sample, torch.ones(2, 1, 1, 6, device=DEVICE)).shape)
