from torch import nn


class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        # audio people keep time last: everything here is (batch, channel, time)
        self.to_qkv = nn.Conv1d(hidden_dim, hidden_dim * 3, 1, bias=False)
        self.to_out = nn.Sequential(nn.Conv1d(hidden_dim, hidden_dim, 1))
        self.channels = hidden_dim

    def forward(self, x):
        x = x.transpose(1, 2)
        q, k, v = self.to_qkv(x).unflatten(1, (3, self.channels)).unbind(1)
        q = q * self.channels**-0.5
        sim = k.transpose(1, 2) @ q        # (batch, key, query)
        attn = sim.softmax(dim=1)          # each column (a query) adds up to 1
        out = v @ attn                     # (batch, channel, query)
        return self.to_out(out).transpose(1, 2)
