"""What is right: one model answer a module, each as clean as a person would learn it from."""
