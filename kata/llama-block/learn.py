"""The steps of the lesson on Llama's block, each after its `# %%`; the last makes the picture."""

# %% a gate opens and shuts
import torch
import torch.nn.functional as F

torch.set_printoptions(precision=3, sci_mode=False)
up = torch.tensor([2.0, 2.0, 2.0, 2.0])
gate = torch.tensor([-6.0, 0.0, 1.0, 6.0])
print(F.silu(gate))
print(F.silu(gate) * up)

# %% RMSNorm leaves the mean in
x = torch.tensor([3.0, 4.0, 3.0, 4.0])
print(x / (x.square().mean() + 1e-5).sqrt())
print(F.layer_norm(x, (4,)))

# %% each kv head for a group of query heads
print(torch.arange(2).repeat_interleave(3).tolist())

# %% a point of the plane, turned by a right angle
a, b = torch.tensor([1.0, 0.0]), torch.tensor([0.0, 2.0])
cos, sin = torch.tensor([0.0, 1.0]), torch.tensor([1.0, 0.0])
print(torch.cat([a * cos - b * sin, b * cos + a * sin]))

# %% three matrices for the price of two
width = 4096
print(2 * width * 4 * width, 3 * width * (8 * width // 3))
print(-(-8 * width // 3 // 256) * 256)

# %% picture
shares = []
for kv_heads, mlp_dim in ((32, 11008), (8, 14336)):
    kv = 2 * width * 128 * kv_heads
    mlp = width * mlp_dim
    parts = torch.tensor([2.0 * width**2, kv, mlp, mlp, mlp])
    shares.append((parts / parts.sum()).tolist())
picture = shares
rows = ("Llama 2 7B", "Llama 3 8B")
columns = ("q, o", "k, v", "gate", "up", "down")
