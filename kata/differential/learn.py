"""The steps of the lesson on differential attention; the last part makes the picture."""

# %% two maps and their difference
import math

import torch

first = torch.tensor([0.1, 0.1, 0.7, 0.1])
second = torch.tensor([0.3, 0.3, 0.1, 0.3])
difference = first - 0.3 * second
print([round(w, 2) for w in difference.tolist()])
print(round(difference.sum().item(), 2))

# %% which parts make which map
parts = torch.arange(6)
print(parts[0::2].tolist(), parts[1::2].tolist())
print(parts.view(3, 2).tolist())

# %% the constant, layer by layer
for depth in (0, 1, 3, 11):
    print(depth, round(0.8 - 0.6 * math.exp(-0.3 * depth), 2))

# %% a norm for each head
torch.manual_seed(0)
heads = torch.randn(2, 4) * torch.tensor([[3.0], [0.1]])
rms = heads.square().mean(-1, keepdim=True).sqrt()
print([round(size, 2) for size in rms.flatten().tolist()])
normed = heads / rms
print([round(size, 2) for size in normed.square().mean(-1).tolist()])

# %% picture
noise = torch.tensor([0.3, -0.2, 0.5, 0.0, 0.4, -0.1, 0.2, 0.1])
sought = torch.tensor([0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0])
one, two = (noise + sought).softmax(-1), noise.softmax(-1)
left = (one - 0.3 * two).clamp_min(0)
picture = [one.tolist(), two.tolist(), left.tolist()]
rows = ("A1", "A2", "A1 - 0.3 A2")
columns = [f"key {k}" for k in range(1, 9)]
