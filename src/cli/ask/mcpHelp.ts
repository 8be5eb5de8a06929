export const MCP_HELP = `
For clients of the Model Context Protocol, such as coding agents. It speaks the protocol over its standard input and output,
says everything else on the standard error, and ends when the input does. The index is the one of sextant search.

Tools:
  codebase-retrieval   code that answers a request in plain words, as text
  search_workspace     ranked places as JSON
  read_span            lines of a file, by the same rules: nothing ignored, no secrets, nothing outside of the folder

In the configuration of a client:
  { "mcpServers": { "sextant": { "command": "sextant", "args": ["mcp", "--workspace-root", "/path/to/folder"] } } }

sextant --mcp --workspace-root DIR does the same. Exit codes: 0 the input ended; 2 failed or wrong usage.`;
