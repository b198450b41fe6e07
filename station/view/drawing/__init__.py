"""OpenGL by vispy's gloo: few draw calls, whole robots at a time."""
