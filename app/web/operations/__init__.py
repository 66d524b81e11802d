"""What operators and developers read: health, metrics, the description of the API."""
