"""Routes and data for operators and developers: health, metrics, the OpenAPI description."""
