# wrong: flash-backward nan-from-zero-times-inf line 25
import math

import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    changdu, weidu = query.shape[2], query.shape[3]
    suofang = 1 / math.sqrt(weidu)
    # 每个 query 一个数：dO 与 O 逐元素相乘再求和
    hang_he = (grad_output * output).sum(dim=-1, keepdim=True)
    dq = torch.zeros_like(query)
    dk = torch.zeros_like(key)
    dv = torch.zeros_like(value)
    kuai_shu = (changdu + block_size - 1) // block_size
    for i in range(kuai_shu):
        qi, zhi = i * block_size, min((i + 1) * block_size, changdu)
        k_kuai = key[:, :, qi:zhi, :]
        v_kuai = value[:, :, qi:zhi, :]
        fenshu = torch.matmul(query, k_kuai.transpose(-1, -2)) * suofang
        quanzhong = torch.exp(fenshu - lse.unsqueeze(-1))
        if causal:
            # 只保留自己和之前的位置
            kejian = torch.arange(changdu, device=query.device).unsqueeze(1) >= torch.arange(qi, zhi, device=query.device)
            quanzhong = quanzhong * kejian
        dv[:, :, qi:zhi, :] = torch.matmul(quanzhong.transpose(-1, -2), grad_output)
        d_quanzhong = torch.matmul(grad_output, v_kuai.transpose(-1, -2))
        d_fenshu = quanzhong * (d_quanzhong - hang_he) * suofang
        dq = dq + torch.matmul(d_fenshu, k_kuai)
        dk[:, :, qi:zhi, :] = torch.matmul(d_fenshu.transpose(-1, -2), query)
    return dq, dk, dv
