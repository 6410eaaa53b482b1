# right: v1
import torch


class SelfAttentionV1(torch.nn.Module):

    def __init__(self, hidden_dim):
        torch.nn.Module.__init__(self)
        self.wq, self.wk, self.wv = (torch.nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(3))
        self.alpha = 1.0 / hidden_dim ** .5

    def forward(self, x):
        b, t, _ = x.size()
        sink = x.new_empty(b, t, t)
        s = torch.baddbmm(sink, self.wq(x), self.wk(x).transpose(1, 2), beta=0, alpha=self.alpha)
        return torch.bmm(torch.softmax(s, 2), self.wv(x))
