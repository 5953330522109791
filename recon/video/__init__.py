"""One video or folder of images, front to back: pictures, times, cuts, sampled frames."""
