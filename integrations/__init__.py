"""Where people work beside the shell: Python, notebooks, editors and tests."""
