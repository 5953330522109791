"""Ways of a walk and the things along them: where ways are cut, what is passed, faced and reached."""
