"""From a scene to triangles: mesh files, shapes, and generated bodies. Knows nothing of OpenGL."""
