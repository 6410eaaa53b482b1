import torch
import torch.nn.functional as F


def gated_step(query, key, value, gate, state):
    # 先衰减旧状态，再写入，最后读出
    baoliu = torch.exp(F.logsigmoid(gate) / 16)
    jiu = state * baoliu[..., None, None]
    xie = key[..., :, None] * value[..., None, :]
    xin = jiu + xie
    hang = (query[..., None] * xin).sum(-2)
    return hang, xin


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    changdu = query.shape[2]
    jingdu = torch.float64 if query.dtype == torch.float64 else torch.float32
    duishu = F.logsigmoid(gate.to(jingdu)) / 16
    output = torch.zeros_like(value)

    for qi in range(0, changdu, chunk_size):
        duan = slice(qi, qi + chunk_size)
        q, k, v = query[:, :, duan], key[:, :, duan], value[:, :, duan]

        # 从块首累加的对数；块首之前的内容到每个位置还剩多少
        leijia = duishu[:, :, duan].cumsum(dim=-1)
        sheng = leijia.exp().to(q.dtype)
        qian = sheng.unsqueeze(-1) * torch.matmul(q, state)

        # 块内：先求差、遮住之后的位置，再取 exp
        cha = leijia.unsqueeze(3) - leijia.unsqueeze(2)
        zhihou = torch.ones_like(cha, dtype=torch.bool).triu(diagonal=1)
        cha = cha.masked_fill(zhihou, float("-inf"))
        shuaijian = cha.exp().to(q.dtype)
        fenshu = torch.matmul(q, k.mT) * shuaijian
        nei = torch.matmul(fenshu, v)
        output[:, :, duan] = nei + qian

        # 块末的状态
        daomo = (leijia[:, :, -1:] - leijia).exp().to(q.dtype)
        jia = torch.matmul((k * daomo.unsqueeze(-1)).mT, v)
        state = sheng[:, :, -1:, None] * state + jia

    return output, state
