import torch
import triton
import triton.language as tl


@triton.jit
def flash_kernel(q_ptr, k_ptr, v_ptr, o_ptr, 长度, 缩放, 头步, 行步,
                 D: tl.constexpr, 块: tl.constexpr, CAUSAL: tl.constexpr):
    第几块 = tl.program_id(0)
    头 = tl.program_id(1)
    d = tl.arange(0, D)
    列 = tl.arange(0, 块)
    行 = 第几块 * 块 + tl.arange(0, 块)
    q_指针 = q_ptr + 头 * 头步 + 行[:, None] * 行步 + d[None, :]
    q = tl.load(q_指针, mask=行[:, None] < 长度, other=0.0)
    q = q.to(tl.float32) * 缩放            # 先缩放 q，后面就不用再乘了
    最大 = tl.full((块,), float("-inf"), tl.float32)
    总和 = tl.zeros((块,), tl.float32)
    输出 = tl.zeros((块, D), tl.float32)
    块数 = 第几块 + 1 if CAUSAL else tl.cdiv(长度, 块)
    for i in range(0, 块数):
        j = i * 块 + 列
        偏移 = 头 * 头步 + j[:, None] * 行步 + d[None, :]
        k = tl.load(k_ptr + 偏移, mask=j[:, None] < 长度, other=0.0).to(tl.float32)
        v = tl.load(v_ptr + 偏移, mask=j[:, None] < 长度, other=0.0).to(tl.float32)
        s = tl.dot(q, tl.trans(k), input_precision="ieee")
        可见 = j[None, :] < 长度
        if CAUSAL:
            可见 = 可见 & (行[:, None] >= (i * 块 + 列)[None, :])   # 只看自己和前面的
        s = tl.where(可见, s, float("-inf"))
        新最大 = tl.maximum(最大, tl.max(s, axis=1))
        p = tl.exp(s - 新最大[:, None])
        系数 = tl.exp(最大 - 新最大)
        总和 = 总和 * 系数 + tl.sum(p, axis=1)
        输出 = 输出 * 系数[:, None] + tl.dot(p, v, input_precision="ieee")
        最大 = 新最大
    o_指针 = o_ptr + 头 * 头步 + 行[:, None] * 行步 + d[None, :]
    tl.store(o_指针, 输出 / 总和[:, None], mask=行[:, None] < 长度)


def flash_attention(q, k, v, causal=False):
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    头数, 长度, D = q.shape
    o = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    缩放 = D ** -0.5
    grid = (triton.cdiv(长度, 32), 头数)
    flash_kernel[grid](q, k, v, o, 长度, 缩放, q.stride(0), q.stride(1), D=D, 块=32, CAUSAL=causal)
    return o
