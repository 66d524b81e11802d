"""The store's migrations, run at every start."""
