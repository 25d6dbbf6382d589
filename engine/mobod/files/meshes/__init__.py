"""Files with meshes of triangles, for drawings and contact."""
