from operator import methodcaller

import torch

heads_first = methodcaller("movedim", 2, 1)
swap = methodcaller("swapaxes", 1, 2)


class Split:
    """(batch, length, hidden_dim) -> (batch, heads, length, head_dim), nothing is copied"""

    @staticmethod
    def sizes(x, num_heads):
        *outer, width = x.shape
        assert width % num_heads == 0, f"{num_heads} heads do not divide {width}"
        return (*outer, num_heads, width // num_heads)

    @classmethod
    def view(cls, x, num_heads):
        return heads_first(x.view(cls.sizes(x, num_heads)))

    @classmethod
    def permute(cls, x, num_heads):
        return torch.permute(x.unflatten(-1, cls.sizes(x, num_heads)[-2:]), (0, 2, 1, 3))

    @classmethod
    def unflatten(cls, x, num_heads):
        return heads_first(torch.unflatten(x, -1, cls.sizes(x, num_heads)[-2:]))


class Merge:
    @staticmethod
    def view(heads):
        b, h, t, d = heads.shape
        return swap(heads).clone(memory_format=torch.contiguous_format).view(b, t, h * d)

    @staticmethod
    def reshape(heads):
        b, h, t, d = heads.shape
        return torch.reshape(swap(heads), (b, t, h * d))

    @staticmethod
    def flatten(heads):
        return torch.flatten(swap(heads), -2)


split_by_view, split_by_permute, split_by_unflatten = Split.view, Split.permute, Split.unflatten
merge_by_view, merge_by_reshape, merge_by_flatten = Merge.view, Merge.reshape, Merge.flatten
