"""Assembly: coordinates and speeds that satisfy constraints and conditions."""
