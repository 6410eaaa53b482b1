"""The steps of the lesson on layernorm, each after its `# %%`; the last part makes the picture."""

# %% one position with four features
import torch

torch.set_printoptions(precision=3, sci_mode=False)
x = torch.tensor([1.0, 3.0, 5.0, 7.0])
centred = x - x.mean()
variance = centred.square().mean()
print(x.mean(), variance)
x_hat = centred / variance.sqrt()
print(x_hat)

# %% the first feature moves, and all outputs do
moved = x.clone()
moved[0] += 0.01
off = moved - moved.mean()
print((off / off.square().mean().sqrt() - x_hat) / 0.01)

# %% all first derivatives at once
eye = torch.eye(4)
jacobian = (eye - 1 / 4 - torch.outer(x_hat, x_hat) / 4) / variance.sqrt()
print(jacobian)

# %% a gradient that comes back, and its three terms
g = torch.tensor([1.0, 0.0, 0.0, 0.0])
common = g.mean()
along = (g * x_hat).mean()
print(common, along)
grad_x = (g - common - x_hat * along) / variance.sqrt()
print(grad_x, grad_x.sum().round(decimals=3) + 0.0)

# %% two directions in which nothing changes
print((jacobian @ torch.ones(4)).round(decimals=3) + 0.0)
print((jacobian @ centred).abs().max() < 1e-6)

# %% picture
picture = jacobian
rows = [f"x̂ {i}" for i in range(4)]
columns = [f"x {i}" for i in range(4)]
