### Headings of the course: `lesson-group-<group>`.

lesson-group-memory = Memory: who has the bytes
lesson-group-views = Views: one Storage, many windows
lesson-group-versions = Versions: what autograd notices
lesson-group-leaves = Leaves: who gets a gradient
lesson-group-cut = Cut graphs
lesson-group-lifetime = How long a graph lives
lesson-group-numpy = NumPy
lesson-group-modules = Modules and optimizers
lesson-group-modes = Modes and custom Functions
