# right: v1 remarks: prints
# homework 3, question 1
# I write the softmax by hand because the TA said so
import math
import torch
import torch.nn as nn

torch.manual_seed(0)


def my_softmax(scores):
    # subtract the max so exp does not blow up
    biggest = torch.max(scores, dim=-1, keepdim=True)[0]
    shifted = scores - biggest
    e = torch.exp(shifted)
    total = torch.sum(e, dim=-1, keepdim=True)
    return e / total


class SelfAttention(nn.Module):
    def __init__(self, hidden_dim):
        super(SelfAttention, self).__init__()
        print("building attention with hidden_dim =", hidden_dim)
        self.hidden_dim = hidden_dim
        self.lq = nn.Linear(hidden_dim, hidden_dim)
        self.lk = nn.Linear(hidden_dim, hidden_dim)
        self.lv = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        assert x.dim() == 3, "x must be (batch, seq, hidden)"
        assert x.shape[2] == self.hidden_dim
        batch = x.shape[0]
        seq = x.shape[1]
        q = self.lq(x)
        k = self.lk(x)
        v = self.lv(x)
        print("q:", q.shape, "k:", k.shape, "v:", v.shape)
        kt = k.permute(0, 2, 1)
        scores = torch.bmm(q, kt)
        assert scores.shape == (batch, seq, seq)
        scores = scores / math.sqrt(self.hidden_dim)
        w = my_softmax(scores)
        print("rows sum to", w.sum(-1)[0])
        out = torch.bmm(w, v)
        assert out.shape == x.shape
        return out


# quick test
t = torch.rand(2, 4, 8)
net = SelfAttention(8)
print(net(t).shape)
