"""Files and folders: locks, files that are written whole, the working folder."""
