// @ts-nocheck The types are of the oldest VS Code that we claim, 1.103; the API for models is of 1.104. Older ones get none.
const vscode = require('vscode');

const MODEL = {
  id: 'parrot',
  name: 'Parrot',
  family: 'parrot',
  version: '1',
  maxInputTokens: 6000,
  maxOutputTokens: 1000,
  isUserSelectable: true,
  capabilities: { toolCalling: false },
};

exports.activate = (context) => {
  const model = { isRegistered: false, requests: [], pieces: ['Nothing to say.'], isCancelled: false, endless: false };
  if (typeof vscode.lm.registerLanguageModelChatProvider !== 'function') return model;
  const textOf = ({ content }) => content.map((part) => part.value ?? '').join('');
  const provider = {
    provideLanguageModelChatInformation: () => [MODEL],
    async provideLanguageModelChatResponse(_model, messages, _options, progress, token) {
      model.requests.push(messages.map((message) => ({ role: message.role, content: textOf(message) })));
      for (const piece of model.pieces) progress.report(new vscode.LanguageModelTextPart(piece));
      if (!model.endless) return;
      await new Promise((resolve) => token.onCancellationRequested(resolve));
      model.isCancelled = true;
    },
    provideTokenCount: (_model, text) => Math.ceil((typeof text === 'string' ? text : textOf(text)).length / 4),
  };
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider('sextant-test', provider));
  model.isRegistered = true;
  return model;
};
