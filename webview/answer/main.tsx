import * as l10n from '@vscode/l10n';
import { render } from 'preact';
import type { AnswerEvents, AnswerMethods, AnswerState } from '../../src/protocol/answerView.ts';
import { connect } from '../connect.ts';
import { eachFrame, messageOf, showFailure } from '../page.tsx';
import '../base.css';
import '../icons.css';
import './answer.css';
import type { AnswerActions } from './actions.ts';
import { AnswerPage } from './answerPage.tsx';

/* The entry of the page: keeps the state from the extension, and draws it. */

const host = connect<AnswerMethods, AnswerEvents>();
const { caller } = host;
let state: AnswerState | undefined;
let draft = typeof host.kept === 'string' ? host.kept : '';
let problem = '';
let question: HTMLElement | null = null;

const draw = eachFrame(() => {
  if (!state) return;
  const control = (element: HTMLElement | null): void => {
    question = element;
  };
  render(<AnswerPage {...{ state, draft, problem, actions, control }} />, document.body);
});

/** Sends a request. The page shows its failure; a failed answer is part of the state. */
function send<K extends keyof AnswerMethods>(name: K, argument: Parameters<AnswerMethods[K]>[0]): void {
  caller.call(name, argument as never).then(
    () => (problem = ''),
    (error: unknown) => {
      problem = messageOf(error);
      draw();
    },
  );
}

function setDraft(text: string): void {
  draft = text;
  host.keep(text);
  draw();
}

const actions: AnswerActions = {
  type: setDraft,
  // The drawn text may be a frame behind the typed one.
  ask(text = draft) {
    const trimmed = text.trim();
    if (trimmed === '') return;
    send('ask', { question: trimmed });
    setDraft('');
    question?.focus();
  },
  stop: () => send('stop', undefined),
  askAgain: () => send('askAgain', undefined),
  chooseProvider: (again) => send('chooseProvider', { again }),
  searchIn: (to) => send('scope', { to }),
  replaceToken: () => send('replaceToken', undefined),
  open: (exchange, passage, toSide = false) => send('open', { exchange, passage, toSide }),
  expand: (exchange, passage) => caller.call('expand', { exchange, passage }),
  highlight: (language, code) => caller.call('highlight', { language, code }),
  copyCode: (code) => send('copyCode', { code }),
  copy: (exchange) => send('copy', { exchange }),
  clear() {
    send('clear', undefined);
    question?.focus();
  },
  go: (to) => send('go', { to }),
};

caller.on('state', (now) => {
  state = now;
  draw();
});
caller.on('text', (text) => {
  const last = state?.exchanges.at(-1);
  if (!state || !last) return;
  const exchanges = [...state.exchanges.slice(0, -1), { ...last, markdown: last.markdown + text }];
  state = { ...state, exchanges };
  draw();
});
caller.on('focus', () => question?.focus());

document.title = l10n.t('Ask About Workspace');
try {
  state = await caller.call('ready', undefined);
  draw();
  requestAnimationFrame(() => question?.focus());
} catch (error) {
  showFailure(error);
}
