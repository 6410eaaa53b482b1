# wrong: causal mask-after-softmax line 19
# fair: mask-after-softmax 17, 19
import torch
from torch import nn
class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.h = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, -1).permute(2, 0, 3, 1, 4)
        s = torch.einsum("bhid,bhjd->bhij", q, k) * q.size(-1) ** -0.5
        see = torch.tril(torch.ones(t, t, device=x.device, dtype=torch.bool))
        top = torch.where(see, s, -torch.inf).max(-1, keepdim=True).values
        p = torch.softmax(torch.minimum(s, top), -1)
        p = torch.where(see, p, 0.0)
        return self.out(torch.einsum("bhij,bhjd->bihd", p, v).reshape(b, t, c))
