"""Two masses, three springs: the multirate experiment of González and others (2010), section 3."""
