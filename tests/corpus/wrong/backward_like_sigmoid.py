# wrong: backward softmax-as-sigmoid line 24
import torch


class Attention:
    def forward(self, q, k, v, causal):
        self.q, self.k, self.v = q, k, v
        self.scale = q.shape[-1] ** -0.5
        s = q @ k.mT * self.scale
        if causal:
            rows = torch.arange(q.shape[-2], device=q.device) + k.shape[-2] - q.shape[-2]
            cols = torch.arange(k.shape[-2], device=q.device)
            s = s.masked_fill(cols[None, :] > rows[:, None], float("-inf"))
        self.p = torch.softmax(s, dim=-1)
        return self.p @ v

    def backward(self, dout):
        p = self.p
        dv = p.mT @ dout
        dp = dout @ self.v.mT

        # softmax: y * (1 - y)
        slope = p * (1 - p)
        ds = slope * dp
        ds = ds * self.scale
        return ds @ self.k, ds.mT @ self.q, dv


def attention_backward(query, key, value, grad_output, causal=False):
    layer = Attention()
    layer.forward(query, key, value, causal)
    return layer.backward(grad_output)
