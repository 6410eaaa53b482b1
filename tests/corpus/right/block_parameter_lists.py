# right: block
import torch, torch.nn as nn
class TransformerBlock(nn.Module):
    """weights in lists"""
    def __init__(self, num_heads: int, d_model: int, dropout: float, device=None):
        super().__init__()
        k = d_model // num_heads
        self.k, self.g = k, nn.ParameterList([nn.Parameter(torch.ones(d_model)) for _ in range(2)])
        self.b = nn.ParameterList([nn.Parameter(torch.zeros(d_model)) for _ in range(2)])
        self.wq = nn.ParameterList([nn.Parameter(torch.randn(d_model, k)) for _ in range(num_heads)])
        self.wk = nn.ParameterList([nn.Parameter(torch.randn(d_model, k)) for _ in range(num_heads)])
        self.wv = nn.ParameterList([nn.Parameter(torch.randn(d_model, k)) for _ in range(num_heads)])
        self.wo = nn.ParameterList([nn.Parameter(torch.randn(k, d_model)) for _ in range(num_heads)])
        self.up, self.down = nn.Parameter(torch.randn(d_model, 4 * d_model)), nn.Parameter(torch.randn(4 * d_model, d_model))
    def ln(self, x, i):
        c = x - x.mean(-1, keepdim=True)
        return self.g[i] * c * (c.pow(2).mean(-1, keepdim=True) + 1e-5) ** -0.5 + self.b[i]
    def forward(self, x):
        h, y, T = self.ln(x, 0), x, x.shape[1]
        for wq, wk, wv, wo in zip(self.wq, self.wk, self.wv, self.wo):
            s = (h @ wq) @ (h @ wk).transpose(1, 2) / self.k ** 0.5
            s = s.masked_fill(torch.ones(T, T, device=x.device).tril() == 0, -torch.inf)
            y = y + s.softmax(-1) @ (h @ wv) @ wo
        return y + nn.functional.gelu(self.ln(y, 1) @ self.up) @ self.down
