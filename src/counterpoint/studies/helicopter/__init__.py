"""A helicopter in hover: main rotor with fuselage, tail rotor, control (Solcia 2010, chapter 6)."""
