"""Parts that end as one does not wish: what is said of them is tested."""
