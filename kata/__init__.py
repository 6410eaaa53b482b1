"""What is asked: the catalogue, and a folder a kata with its texts and contract."""
