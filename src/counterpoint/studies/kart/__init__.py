"""A kart driven by a spark-ignition engine: the multiphysics experiment of González and others (2010), section 4."""
