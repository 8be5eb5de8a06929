/** Commands, as package.json contributes them; a test holds the two equal. */
export const COMMANDS = [
  'sextant.searchWorkspace',
  'sextant.searchSymbol',
  'sextant.searchSelection',
  'sextant.findSimilar',
  'sextant.askWorkspace',
  'sextant.chooseProvider',
  'sextant.setOpenAiKey',
  'sextant.removeOpenAiKey',
  'sextant.whyFile',
  'sextant.showStatus',
  'sextant.updateIndex',
  'sextant.rebuildIndex',
  'sextant.copyDiagnostics',
  'sextant.pauseIndexing',
  'sextant.resumeIndexing',
  'sextant.showLog',
  'sextant.startServer',
  'sextant.stopServer',
  'sextant.restartServer',
  'sextant.attachServer',
  'sextant.copyServerUrl',
  'sextant.copyServerToken',
  'sextant.openServerLog',
  'sextant.createWebhook',
  'sextant.rotateWebhook',
  'sextant.deleteWebhook',
  'sextant.copyWebhookUrl',
  'sextant.addTrigger',
  'sextant.deleteTrigger',
  'sextant.sendTestEvent',
  'sextant.sendEditedEvent',
  'sextant.replayEvent',
  'sextant.openEvent',
  'sextant.copyEventCurl',
  'sextant.refreshWebhooks',
  'sextant.chooseServerScenario',
  'sextant.manageServerFaults',
  'sextant.connectAnalytics',
  'sextant.trySampleData',
  'sextant.disconnectAnalytics',
  'sextant.refreshAnalytics',
  // Of the view of results, and of its rows.
  'sextant.refreshResults',
  'sextant.clearResults',
  'sextant.copyResults',
  'sextant.exportResultsMarkdown',
  'sextant.exportResultsEditor',
  'sextant.copyResult',
  'sextant.removeResult',
  // Of rows of the status view.
  'sextant.copyLeftOutPath',
  'sextant.openLeftOutList',
] as const;
export type CommandId = (typeof COMMANDS)[number];

/** `@sextant`, as package.json contributes it. */
export const CHAT_PARTICIPANT = 'sextant.chat';

/** Of the MCP servers, as package.json contributes it. */
export const MCP_PROVIDER = 'sextant.folders';
