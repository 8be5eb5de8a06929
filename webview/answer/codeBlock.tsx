import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CodeToken, ShownPassage } from '../../src/protocol/answerView.ts';
import { IconButton } from '../components.ts';
import type { AnswerActions } from './actions.ts';

interface CodeProps {
  readonly language: string;
  readonly code: string;
  /** The passage that the code is, if it is a quotation. */
  readonly passage: ShownPassage | undefined;
  readonly exchange: number;
  readonly actions: AnswerActions;
}

/** Code with colours and its actions. A part of a definition can be replaced by the whole. */
export function CodeBlock({ language, code, passage, exchange, actions }: CodeProps): JSX.Element {
  const [whole, setWhole] = useState<string>();
  const [isMissing, setMissing] = useState(false);
  const shown = whole ?? code;
  const tokens = useTokens(language, shown, actions);
  const toggle = async (number: number): Promise<void> => {
    if (whole !== undefined) {
      setWhole(undefined);
      return;
    }
    const text = await actions.expand(exchange, number).catch(() => null);
    setMissing(text === null);
    if (text !== null) setWhole(text);
  };
  return (
    <div class="code">
      {/* Content wider or longer than the block scrolls, also by keyboard. */}
      <pre tabIndex={0} role="group" aria-label={l10n.t('Code')}>
        <code>
          {tokens?.map(({ text, kind }) => (kind === undefined ? text : <span class={`token-${kind}`}>{text}</span>)) ??
            shown}
        </code>
      </pre>
      <div class="tools">
        <IconButton label={l10n.t('Copy Code')} icon="icon-copy" onClick={() => actions.copyCode(shown)} />
        {passage && (
          <>
            <button type="button" class="link" onClick={() => actions.open(exchange, passage.number)}>
              {l10n.t('Open')}
            </button>
            <button type="button" class="link" onClick={() => actions.open(exchange, passage.number, true)}>
              {l10n.t('Open to the Side')}
            </button>
          </>
        )}
        {passage?.isPart === true && (
          <button
            type="button"
            class="link"
            aria-expanded={whole !== undefined}
            onClick={() => void toggle(passage.number)}
          >
            {whole === undefined ? l10n.t('Show Whole Definition') : l10n.t('Show Less')}
          </button>
        )}
        {isMissing && <span class="quiet">{l10n.t('The file no longer has these lines.')}</span>}
      </div>
    </div>
  );
}

/** The tokens of code, once they are known. Code that still grows is requested when it pauses. */
function useTokens(language: string, code: string, actions: AnswerActions): readonly CodeToken[] | undefined {
  const [known, setKnown] = useState<{ readonly code: string; readonly tokens: readonly CodeToken[] | null }>();
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => {
      const set = (tokens: readonly CodeToken[] | null): void => {
        if (isCurrent) setKnown({ code, tokens });
      };
      actions.highlight(language, code).then(set, () => set(null));
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [language, code]);
  return known?.code === code ? (known.tokens ?? undefined) : undefined;
}

const PAUSE_MS = 50;
