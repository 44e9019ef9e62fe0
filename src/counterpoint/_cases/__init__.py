"""Files that the command line takes, recognised by their content and handled through one protocol."""
