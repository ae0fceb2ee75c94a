"""Scripts that run other people's engines, each in a process of its own. They import nothing of ours."""
