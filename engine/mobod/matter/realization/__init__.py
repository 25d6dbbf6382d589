"""What a State has for the matter, the rows that compute it, and why that fails."""
