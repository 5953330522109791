"""What is asked of rows together: even answers, balance, blind test, difficulty, grades, what is out of view."""
