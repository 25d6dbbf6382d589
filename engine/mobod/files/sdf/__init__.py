"""Reading of SDF files: models and worlds of Gazebo and other tools."""
