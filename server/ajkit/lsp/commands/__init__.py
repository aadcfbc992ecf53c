"""What an editor runs by name (`workspace/executeCommand`); every answer is JSON that says its version."""
