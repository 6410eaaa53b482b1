"""The steps of the lesson on block, each after its `# %%`; the last part makes the picture."""

# %% a norm by hand
import torch

torch.set_printoptions(precision=2, sci_mode=False)
x = torch.tensor([1.0, 3.0, 5.0, 7.0])
centred = x - x.mean()
variance = centred.square().mean()
print(x.mean(), variance, centred / variance.sqrt())
print(torch.nn.functional.layer_norm(x, (4,)))

# %% its size no longer matters
print(torch.nn.functional.layer_norm(10 * x, (4,)))

# %% the stream
torch.manual_seed(0)
stream = torch.randn(64)
for layer in range(3):
    branch = torch.nn.functional.layer_norm(stream, (64,)) * 0.5
    stream = stream + branch
    print(layer, round(stream.std().item(), 2))

# %% an MLP bends, two linear maps do not
up, down = torch.randn(16, 4), torch.randn(4, 16)
one = down @ up
h = torch.randn(4)
print(torch.allclose(down @ (up @ h), one @ h, atol=1e-4))
gelu = torch.nn.functional.gelu
print(torch.allclose(2 * (down @ gelu(up @ h)), down @ gelu(up @ (2 * h))))

# %% where the weights are
d = 768
print(4 * d**2, 8 * d**2, 12 * 12 * d**2)

# %% picture
points = torch.tensor([-2.0, -1.0, 0.0, 1.0, 2.0])
picture = torch.stack([gelu(points), points.relu()])
rows, columns = ("GELU", "ReLU"), [f"{x:g}" for x in points.tolist()]
