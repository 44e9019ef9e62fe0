"""Ways to couple a multibody program and a numerical package, side by side (González Varela's thesis, chapter 5)."""
