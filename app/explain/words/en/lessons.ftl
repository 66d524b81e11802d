### Headings of the lesson gallery: `lesson-group-<group>`.

lesson-group-sharing = Shared memory
lesson-group-gradients = Where gradients flow
lesson-group-saved-tensors = What backward needs
