# right: gated-linear
import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    保留 = torch.exp(F.logsigmoid(gate) / 16)
    state = 保留[:, :, None, None] * state + key[:, :, :, None] * value[:, :, None, :]
    return torch.einsum("bhd,bhdv->bhv", query, state), state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    B, H, T, D = query.shape
    输出 = []
    状态 = state
    for 起 in range(0, T, chunk_size):
        止 = min(起 + chunk_size, T)
        q, k, v = query[:, :, 起:止], key[:, :, 起:止], value[:, :, 起:止]
        # 块内累加对数，半精度不够用
        g = F.logsigmoid(gate[:, :, 起:止].to(torch.promote_types(gate.dtype, torch.float32))) / 16
        累 = g.cumsum(-1)
        n = 止 - 起
        下三角 = torch.tril(torch.ones(n, n, dtype=torch.bool, device=q.device))
        差 = torch.where(下三角, 累[..., None] - 累[..., None, :], float("-inf"))
        块内 = (q @ k.transpose(-1, -2) * 差.exp().to(q.dtype)) @ v
        块外 = 累.exp().to(q.dtype)[..., None] * (q @ 状态)
        输出.append(块内 + 块外)
        末 = 累[..., -1:]
        状态 = 末.exp().to(q.dtype)[..., None] * 状态 + ((末 - 累).exp().to(q.dtype)[..., None] * k).transpose(-1, -2) @ v
    return torch.cat(输出, dim=2), 状态
