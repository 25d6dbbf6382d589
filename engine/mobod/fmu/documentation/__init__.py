"""What an FMU contains for people: its page, licences, pictures, and reference results."""
