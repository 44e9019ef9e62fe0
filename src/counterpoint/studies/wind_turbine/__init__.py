"""The controlled wind turbine of Solcia (2010), chapter 5, and the AWT-27 beside another program."""
