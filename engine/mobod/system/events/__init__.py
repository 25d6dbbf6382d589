"""Events: what causes them, handlers and reporters, their recording, and their memory in a State."""
