"""What a Table becomes outside of mobod: files, and the tables of other packages."""
