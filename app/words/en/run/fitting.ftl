### Titles of fixes (`fix-<title>`) for shapes, sizes and dtypes that do not match.

fix-flatten_input = Flatten all dimensions but the batch: `.flatten(1)`
fix-flatten_and_count = Flatten all dimensions but the batch, and create the layer with that number of features
fix-fit_layer = Create the layer for the size of its input
fix-channels_second = Move the channels after the batch dimension: `.permute(…)`
fix-norm_of_dimensions = Use the batch norm for this number of dimensions
fix-add_dimension = Add a dimension of size 1: `.unsqueeze(…)`
fix-drop_dimension = Remove the dimension of size 1: `.squeeze(…)`
fix-transpose_factor = Transpose one factor, so that the sizes match
fix-matmul_instead = Use `matmul`, which also multiplies batches of matrices
fix-join_along = Join along the dimension in which the shapes differ
fix-resize_alike = Resize one tensor to the size of the other
fix-rows_of_batch = Infer the size of the batch: `-1`
fix-fit_state = Create the state with the sizes that the layer expects
fix-more_rows = Give the embedding one row for each index
fix-read_number = Read the number: `.item()`
fix-expand_gradient = Expand the returned gradient to the right shape: `.expand_as(…)`
fix-whole_tensor = Remove the index: the tensor is a single number
