export const MCP_HELP = `
For clients of the Model Context Protocol, such as coding agents. The protocol runs over standard input and output,
messages go to standard error, and the command ends with its input. It uses the index of sextant search.

Tools:
  codebase-retrieval   code for a request in plain words, as text
  search_workspace     ranked results as JSON
  find_usages          every use of a name, by kind
  outline, list_files  definitions and paths
  read_span            lines of a file of the folder; ignored files and files with secrets are refused
  explain_missing      why a file is found or not

In the configuration of a client:
  { "mcpServers": { "sextant": { "command": "sextant", "args": ["mcp", "--workspace-root", "/path/to/folder"] } } }

"sextant --mcp --workspace-root DIR" does the same.

Exit codes: 0 the input ended; 2 failed or wrong usage.`;
