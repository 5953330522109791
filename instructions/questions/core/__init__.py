"""What a question is: its type, the plain world that programs see, views that it is about, its truth and its row."""
