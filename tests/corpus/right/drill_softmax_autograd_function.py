# right: drill-softmax
import torch
class Soft(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        e = torch.exp(x - x.amax(dim, keepdim=True))
        y = e / e.sum(dim, keepdim=True)
        ctx.save_for_backward(y); ctx.dim = dim
        return y
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return y * (g - (g * y).sum(ctx.dim, keepdim=True)), None
def softmax(x, dim=-1): return Soft.apply(x, dim)
def log_sum_exp(x, dim=-1):
    m, _ = torch.max(x, dim)
    return torch.log(torch.sum(torch.exp(x - m.unsqueeze(dim)), dim)) + m
def masked_softmax(scores, mask):
    mask = mask.bool()
    x = scores.masked_fill(~mask, -1e30 if scores.dtype in (torch.float32, torch.float64, torch.bfloat16) else -6e4)
    return Soft.apply(x, -1) * mask
