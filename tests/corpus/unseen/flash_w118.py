import torch
import math


def flash_attention(query, key, value, block_size, causal=False):
    # 形状: (批大小, 头数, 长度, 每头维度)
    pi, tou, chang, wei = query.shape
    jingdu = torch.float64 if query.dtype == torch.float64 else torch.float32

    # 初始化: 最大值为负无穷, 和与输出为零
    zuida = torch.full((pi, tou, chang), float("-inf"), dtype=jingdu, device=query.device)
    he = torch.zeros((pi, tou, chang), dtype=jingdu, device=query.device)
    shuchu = torch.zeros((pi, tou, chang, wei), dtype=jingdu, device=query.device)

    kuai_shu = (chang + block_size - 1) // block_size  # 块数, 向上取整
    for kuai in range(kuai_shu):
        qi = kuai * block_size
        zhi = min(qi + block_size, chang)
        k = key[:, :, qi:zhi, :].to(jingdu)
        v = value[:, :, qi:zhi, :].to(jingdu)

        # 计算当前块的分数
        fenshu = torch.matmul(query.to(jingdu), k.transpose(2, 3)) / math.sqrt(wei)
        if causal:
            # 因果掩码: 用整个序列中的位置比较
            hang = torch.arange(chang, device=query.device).view(-1, 1)
            lie = torch.arange(qi, zhi, device=query.device).view(1, -1)
            fenshu = fenshu.masked_fill(lie > hang, float("-inf"))

        # 更新最大值
        xin_zuida = torch.maximum(zuida, fenshu.max(dim=-1).values)
        bili = torch.exp(zuida - xin_zuida)
        p = torch.exp(fenshu - xin_zuida.unsqueeze(-1))

        # 更新和与输出
        he = he + p.sum(dim=-1)
        shuchu = shuchu * bili.unsqueeze(-1) + torch.matmul(p, v)
        zuida = xin_zuida

    # 最后归一化
    return (shuchu / he.unsqueeze(-1)).to(query.dtype)
