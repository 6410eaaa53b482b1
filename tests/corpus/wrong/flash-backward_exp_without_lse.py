# wrong: flash-backward grad-lse-missing line 21
import math

import torch


def flash_backward(query, key, value, output, lse, grad_output, block_size, causal=False):
    changdu = query.shape[2]
    suofang = 1 / math.sqrt(query.shape[3])
    hang_he = (grad_output * output).sum(dim=-1, keepdim=True)
    dq, dk, dv = torch.zeros_like(query), torch.zeros_like(key), torch.zeros_like(value)
    for i in range((changdu + block_size - 1) // block_size):
        qi, zhi = i * block_size, min((i + 1) * block_size, changdu)
        k_kuai, v_kuai = key[:, :, qi:zhi, :], value[:, :, qi:zhi, :]
        fenshu = torch.matmul(query, k_kuai.transpose(-1, -2)) * suofang
        if causal:
            xia = torch.arange(qi, zhi, device=query.device)
            shang = torch.arange(changdu, device=query.device).unsqueeze(1)
            fenshu = fenshu.masked_fill(xia > shang, float("-inf"))
        # 重算权重
        quanzhong = torch.exp(fenshu)
        dv[:, :, qi:zhi, :] = torch.matmul(quanzhong.transpose(-1, -2), grad_output)
        d_quanzhong = torch.matmul(grad_output, v_kuai.transpose(-1, -2))
        d_fenshu = quanzhong * (d_quanzhong - hang_he) * suofang
        dq = dq + torch.matmul(d_fenshu, k_kuai)
        dk[:, :, qi:zhi, :] = torch.matmul(d_fenshu.transpose(-1, -2), query)
    return dq, dk, dv
