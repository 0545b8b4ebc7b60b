"""`compare`: the pages of an old site beside the records of the new one."""
