# right: backward
import torch


def attention_backward(query, key, value, grad_output, causal=False):
    """逐行计算：每个 query 一行，方便看清 softmax 的梯度。"""
    B, H, Tq, D = query.shape
    Tk = key.shape[2]
    系数 = D ** 0.5
    dq = torch.zeros_like(query)
    dk = torch.zeros_like(key)
    dv = torch.zeros_like(value)
    for b in range(B):
        for h in range(H):
            for i in range(Tq):
                可见 = Tk - Tq + i + 1 if causal else Tk
                k, v = key[b, h, :可见], value[b, h, :可见]
                s = k @ query[b, h, i] / 系数
                p = torch.exp(s - s.max())
                p = p / p.sum()
                g = grad_output[b, h, i]
                dp = v @ g                        # 对权重的梯度
                ds = p * (dp - torch.dot(p, dp))  # 对分数的梯度
                dq[b, h, i] = ds @ k / 系数
                dk[b, h, :可见] += torch.outer(ds, query[b, h, i]) / 系数
                dv[b, h, :可见] += torch.outer(p, g)
    return dq, dk, dv
