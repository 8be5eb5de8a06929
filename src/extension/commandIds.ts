/** Commands, as package.json contributes them; a test holds the two equal. */
export const COMMANDS = [
  'sextant.searchWorkspace',
  'sextant.updateIndex',
  'sextant.rebuildIndex',
  'sextant.pauseIndexing',
  'sextant.resumeIndexing',
  'sextant.showLog',
] as const;
export type CommandId = (typeof COMMANDS)[number];
