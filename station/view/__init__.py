"""What people look at: robots, forces and paths as pictures. Reads shared state only; docs/view.md says how."""
