"""The writers of questions: about single views, about marks, and about sets of views."""
