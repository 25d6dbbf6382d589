"""The XML files of an FMU: model description, build description, terminals."""
