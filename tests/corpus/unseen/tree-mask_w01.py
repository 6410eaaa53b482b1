from torch import Tensor
import torch


def tree_mask(back: Tensor) -> Tensor:
    n = back.shape[0]
    node = torch.arange(n, device=back.device)
    # anything below zero means: follows the prefix
    parent = torch.clamp(node - back, min=-1).tolist()
    mask = torch.eye(n, dtype=torch.bool, device=back.device)
    for i in range(n):
        # parents come first, so the row of the parent is finished already
        mask[i] |= mask[parent[i]]
    return mask


class _TreeAttn:
    """Callable with the scale baked in, so that it may be reused for all layers."""

    def __init__(self, head_dim: int):
        self.scale = head_dim**-0.5

    def __call__(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
        s = (q @ k.transpose(2, 3)) * self.scale
        n = mask.shape[0]
        s[..., -n:] = s[..., -n:].masked_fill(mask.logical_not(), float("-inf"))
        return torch.softmax(s, dim=3) @ v


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    attn = _TreeAttn(query.shape[3])
    return attn(query.to(wide), key.to(wide), value.to(wide), tree_mask(back).to(query.device)).to(query.dtype)
