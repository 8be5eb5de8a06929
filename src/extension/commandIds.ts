/** Commands, as package.json contributes them; a test holds the two equal. */
export const COMMANDS = [
  'sextant.searchWorkspace',
  'sextant.whyFile',
  'sextant.showStatus',
  'sextant.updateIndex',
  'sextant.rebuildIndex',
  'sextant.copyDiagnostics',
  'sextant.pauseIndexing',
  'sextant.resumeIndexing',
  'sextant.showLog',
  // Of rows of the status view.
  'sextant.copyLeftOutPath',
  'sextant.openLeftOutList',
] as const;
export type CommandId = (typeof COMMANDS)[number];
