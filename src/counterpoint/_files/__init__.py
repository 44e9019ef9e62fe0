"""Text files that a user writes, whatever is in them.

======================  ===============================================================================
:mod:`.document`        read TOML: text and values, or an error with line and column
:mod:`.tables`          base of the pydantic models, and values that several kinds of files have
:mod:`.validation`      check tables, note all mistakes, go on with what is right
:mod:`.problems`        messages: file, key, value, remedy, line
:mod:`.folder`          files that a file names, and Python objects in them
:mod:`.csv_files`       CSV tables
:mod:`.toml_writing`    write TOML
======================  ===============================================================================
"""
