import torch
from torch import nn

before = lambda n, device: torch.arange(n, device=device)[:, None] >= torch.arange(n, device=device)[None, :]


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.H, self.limit = num_heads, block_size
        self.Wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.Wv = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x):
        T = x.shape[1]
        if T > self.limit:
            raise ValueError(f"{T} positions, at most {self.limit}")
        heads = lambda y: torch.stack(y.chunk(self.H, dim=-1), dim=1)      # (B, H, T, d)
        Q, K, V = heads(self.Wq(x)), heads(self.Wk(x)), heads(self.Wv(x))
        S = Q @ K.mT / Q.shape[-1] ** 0.5
        may = before(T, x.device)
        A = torch.where(may, S, S.new_tensor(float("-inf"))).softmax(dim=-1)
        return torch.cat((A @ V).unbind(dim=1), dim=-1)
