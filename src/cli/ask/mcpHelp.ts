export const MCP_HELP = `
For clients of the Model Context Protocol, such as coding agents. Without --workspace-root it serves the roots that the client
names, and follows their changes; for a client without roots, the current folder. With several folders each path begins with the
name of its folder. The home folder and / are refused. The protocol runs over standard input and output,
messages go to standard error, and the command ends with its input. It uses the index of sextant search.

Tools:
  codebase-retrieval   code for a request in plain words, as text
  search               ranked results as JSON
  find_usages          every use of a name, by kind
  outline, list_files  definitions and paths
  read_span            lines of a file of the folder; ignored files and files with secrets are refused
  explain_missing      why a file is found or not

With --team, search_team_code finds code in all repositories of the service of SEXTANT_API_URL or sextant login.

"sextant mcp install CLIENT" adds it to the configuration of a client. By hand:
  { "mcpServers": { "sextant": { "command": "sextant", "args": ["mcp", "--workspace-root", "/path/to/folder"] } } }

"sextant --mcp --workspace-root DIR" does the same.

Exit codes: 0 the input ended, or the server was stopped; 2 failed or wrong usage.`;

/** The clients whose configuration is known. */
export const MCP_CLIENTS = [
  'vscode',
  'claude-code',
  'claude-desktop',
  'cursor',
  'windsurf',
  'zed',
  'codex',
  'gemini',
] as const;

export const MCP_INSTALL_HELP = `
The rest of the file stays as it is, comments included. The former file is kept beside it as .sextant-backup. VS Code needs this only
without the extension, which brings the server itself.

VS Code, Claude Code, Cursor, Codex and Gemini CLI read a file of the project, which can be committed. Claude Desktop, Windsurf (now
Devin Desktop) and Zed read a file of yours. It names the folders, Node and this command by their paths: run the command again when
they have moved. --team, --wait and --state are written, too, and other keys that the server has in JSON, such as env, stay.

Examples:
  sextant mcp install claude-code
  sextant mcp install zed --workspace-root ~/projects/shop
  sextant mcp install cursor --print
  sextant mcp install codex --remove
  sextant mcp install claude-desktop --workspace-root ~/shop --workspace-root ~/bank

Exit codes: 0 done, or as wanted already; 2 failed, wrong usage or not confirmed; 130 interrupted.`;
