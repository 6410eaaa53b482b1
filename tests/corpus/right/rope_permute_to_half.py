# right: rope
# 先写前后两半的版本，再用重排得到相邻配对的版本
import torch


def rope_half_split(x, positions, base=10000):
    d = x.shape[-1]
    # 频率：base^(-2i/d)
    freq = torch.pow(torch.tensor(float(base), device=x.device), -torch.arange(0, d, 2, device=x.device) / d)
    # 角度 (T, d/2)，一定要 float32
    ang = positions.view(-1, 1).to(torch.float32) * freq.view(1, -1)
    x1, x2 = torch.split(x, d // 2, dim=-1)
    y1 = x1 * ang.cos() - x2 * ang.sin()
    y2 = x1 * ang.sin() + x2 * ang.cos()
    return torch.cat((y1, y2), dim=-1).type_as(x)


def rope_interleaved(x, positions, base=10000):
    d = x.shape[-1]
    order = torch.arange(d, device=x.device).view(-1, 2).T.reshape(-1)  # 0 2 4 … 1 3 5 …
    back = torch.argsort(order)
    return rope_half_split(x[..., order], positions, base)[..., back]
