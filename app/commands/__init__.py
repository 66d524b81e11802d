"""The commands of `stepgrad`, and what they share."""
