// Shows the search view when npm start has opened a window; the first time on the sample with an example.
const vscode = require('vscode');

const EXAMPLE = 'retry a failed payment';

/** @param {import('vscode').ExtensionContext} context */
exports.activate = async ({ workspaceState }) => {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const isSample = folder?.uri.path.endsWith('/test/fixtures/sample') ?? false;
  const isFirst = workspaceState.get('wasShown') !== true;
  await workspaceState.update('wasShown', true);
  await vscode.commands.executeCommand('sextant.openSearch', ...(isSample && isFirst ? [EXAMPLE] : []));
};
