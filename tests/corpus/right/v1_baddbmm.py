# right: v1
import torch


class SelfAttn(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.proj = torch.nn.ModuleList(torch.nn.Linear(size, size) for _ in range(3))

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (p(x) for p in self.proj)
        empty = torch.empty(b, t, t, dtype=x.dtype, device=x.device)
        logits = torch.baddbmm(empty, q, k.transpose(1, 2), beta=0.0, alpha=self.size ** -0.5)
        return torch.bmm(torch.nn.functional.softmax(logits, dim=-1), v)
