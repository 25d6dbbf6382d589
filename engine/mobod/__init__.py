"""A multibody dynamics engine in Python that becomes a Functional Mock-up Unit."""
