"""Small things that several rooms need and that know none of them."""
