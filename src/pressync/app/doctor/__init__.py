"""The checks of `pressync doctor`, each with its evidence."""
