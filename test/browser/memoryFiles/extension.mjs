// A file system in memory: one folder with one file.
import { Buffer } from 'node:buffer';
import * as vscode from 'vscode';

const TEXT = Buffer.from('export function moonbeam() {}\n');

/** @param {vscode.ExtensionContext} context */
export function activate({ subscriptions }) {
  const changes = new vscode.EventEmitter();
  const stop = new vscode.Disposable(() => undefined);
  const refuse = () => {
    throw vscode.FileSystemError.NoPermissions();
  };
  const isFile = (/** @type {vscode.Uri} */ { path }) => path.endsWith('/moon.ts');
  const isFolder = (/** @type {vscode.Uri} */ { path }) => path === '/orbit' || path === '/orbit/';
  /** @type {vscode.FileSystemProvider} */
  const provider = {
    onDidChangeFile: changes.event,
    watch: () => stop,
    stat(/** @type {vscode.Uri} */ uri) {
      if (isFile(uri)) return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: TEXT.length };
      if (isFolder(uri)) return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
      throw vscode.FileSystemError.FileNotFound(uri);
    },
    readDirectory: () => [['moon.ts', vscode.FileType.File]],
    readFile: () => TEXT,
    createDirectory: refuse,
    writeFile: refuse,
    delete: refuse,
    rename: refuse,
  };
  subscriptions.push(vscode.workspace.registerFileSystemProvider('memory', provider, { isReadonly: true }));
}
