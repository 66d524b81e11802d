"""What a snippet needs of its machine, its files and its packages, and has not."""
