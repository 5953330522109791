"""Where tasks run: the seam between stages and the processes or machines that work for them."""
