"""The steps of the lesson on mla, each after its `# %%`; the last part makes the picture."""

# %% one latent, many keys
import torch

torch.manual_seed(0)
x = torch.randn(5, 64).double()
down = torch.randn(64, 4).double()
key_up = torch.randn(4, 8, 16).double()
latent = x @ down
keys = torch.einsum("tc,chd->thd", latent, key_up)
print(latent.shape, keys.shape)
print(torch.linalg.matrix_rank(keys.flatten(1)).item())

# %% absorbed
query = torch.randn(8, 16).double()
made = torch.einsum("hd,thd->ht", query, keys)
moved = torch.einsum("hd,chd->hc", query, key_up)
absorbed = moved @ latent.T
print(torch.allclose(made, absorbed))

# %% a rotation in between
angles = torch.arange(5.0).double()
a, b = keys.chunk(2, dim=-1)
cos, sin = angles.cos()[:, None, None], angles.sin()[:, None, None]
rotated = torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)
print(torch.allclose(torch.einsum("hd,thd->ht", query, rotated), absorbed))

# %% what is kept for a position
print("MHA", 2 * 128 * 128)
print("GQA, 8 groups", 2 * 8 * 128)
print("MLA", 512 + 64)

# %% picture
picture = [[16384, 16384], [1024, 1024], [512, 64]]
rows = ("MHA", "GQA-8", "MLA")
columns = ("keys | latent", "values | rope key")
