"""The lesson gallery: one snippet file per lesson."""
