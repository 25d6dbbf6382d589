"""Files with data of flexible bodies: modal data, matrices of finite elements, meshes of solids. No file can run code."""
